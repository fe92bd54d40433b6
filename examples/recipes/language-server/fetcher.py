import argparse
import asyncio
import http.client
import logging


class Fetcher:
    """Fetches pages of one host."""

    def __init__(self, host: str):
        self.log = logging.getLogger(host)
        self.connection = http.client.HTTPSConnection(host)
        self.parser = argparse.ArgumentParser()

    async def fetch(self, path: str) -> bytes:
        """The page at a path of that host."""
        self.log.info("fetching %s", path)
