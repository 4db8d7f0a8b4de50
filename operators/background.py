"""One job at a time behind the window: pure work of the core in a thread of its own, which touches nothing of Blender.

A generator that yields often stops soon when its result is wanted no more. The thread ends with the last job.
"""

import threading
from collections.abc import Generator
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class Background(Generic[Result]):
    """Runs a job to its end, or until another one is started; what it raises is raised by `outcome`."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._job: Generator[Any, None, Result] | None = None
        self._thread: threading.Thread | None = None
        self._ended: list[Result | BaseException] = []

    def start(self, job: Generator[Any, None, Result]) -> None:
        """Let a job run; one that runs already is dropped, and stops at its next step."""
        with self._lock:
            self._job = job
            self._ended.clear()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="Brittle")
                self._thread.start()

    def is_busy(self) -> bool:
        """Whether a job runs whose result is wanted."""
        return self._job is not None

    def outcome(self) -> Result | None:
        """What the job returned, once; None as long as it runs, and where there is none. Raises what it raised."""
        with self._lock:
            ended = self._ended.pop() if self._ended else None
        if isinstance(ended, BaseException):
            raise ended
        return ended

    def drop(self) -> None:
        """Want no result any more."""
        with self._lock:
            self._job = None
            self._ended.clear()

    def wait_for_job(self) -> None:
        """Wait until the job that is wanted has ended."""
        with self._lock:
            self._lock.wait_for(lambda: self._job is None)

    def wait(self) -> None:
        """Wait until nothing runs."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while True:
            with self._lock:
                job = self._job
                if job is None:
                    self._thread = None
                    return
            ended = self._ended_with(job)
            with self._lock:
                if self._job is job:
                    self._job = None
                    self._ended[:] = ended
                    self._lock.notify_all()

    def _ended_with(self, job: Generator[Any, None, Result]) -> list[Result | BaseException]:
        """What the job returned or raised; nothing where it was dropped."""
        try:
            while self._job is job:
                next(job)
            job.close()
            return []
        except StopIteration as end:
            return [end.value]
        except BaseException as error:  # it is raised where somebody waits for the outcome
            return [error]
