"""In place of `gpus = ceil(1.2 * params * bits / 8 / memory)`: what fits, counted.

Usage: python3 rule_of_thumb.py MODEL GPU [USERS]
"""
import sys
import gpuplan

model, gpu, users = (sys.argv + ["16"])[1:4]
plan = gpuplan.Catalogue().ask(model=model, gpu=gpu, users=int(users))
print(f"{plan['layout']['gpus']} x {gpu}: {plan['verdict']['status']}, "
      f"{plan.number('cost.per_hour'):.2f} $/h")
