"""Takes jobs from the queue and resizes pictures."""

import json
import os
import time

import redis

QUEUE = "resize"


def main() -> None:
    client = redis.Redis.from_url(os.environ["QUEUE_URL"])
    while True:
        _, raw = client.blpop(QUEUE)
        job = json.loads(raw)
        started = time.monotonic()
        resize(job["path"], job["width"])
        print(f"job resize-{job['id']} done in {int((time.monotonic() - started) * 1000)}ms", flush=True)


def resize(path: str, width: int) -> None:
    from PIL import Image

    target = os.path.join(os.environ["DATA_DIR"], path)
    with Image.open(target) as picture:
        height = picture.height * width // picture.width
        picture.resize((width, height)).save(target)


if __name__ == "__main__":
    main()
