"""Islands and sleep: what rests stops, and stays bit-still until something moves against it.

In: the contacts of a frame. Out: islands of bodies that touched, and who sleeps after it.

- `islands`: bodies that touched each other, directly or through others, and what they rest on
- `sleeping`: sleep timers; falling asleep; waking with what is around
"""
