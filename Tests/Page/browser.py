"""The page in a headless Chromium, and how to look into it."""
import os
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

PATIENCE_SECONDS = 60
GLANCE_SECONDS = 0.05
WINDOW = 1280, 800
ARGUMENTS = ("--headless=new", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars", "--no-first-run")


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


class Browser:
    """One window with the page in it."""

    def __init__(self, url, directory, width=WINDOW[0], height=WINDOW[1], arguments=()):
        options = webdriver.ChromeOptions()
        options.binary_location = os.environ["CHROMIUM"]
        for argument in (*ARGUMENTS, *arguments, f"--window-size={width},{height}"):
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(os.environ["CHROMEDRIVER"]), options=options)
        self.directory = directory
        self.resize(width, height)
        self.scheme("dark")
        self.driver.get(url)

    def close(self):
        self.driver.quit()

    def resize(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def scheme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": name}]})

    def ask(self, expression):
        return self.driver.execute_script(f"return {expression}")

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def choose(self, selector, value):
        self.driver.execute_script(
            "const field = document.querySelector(arguments[0]);"
            "field.value = arguments[1]; field.dispatchEvent(new Event('change'))", selector, value)

    def wait(self, what, condition):
        """Looks again and again until it holds, and gives what it then was."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (found := condition()):
            if time.monotonic() > deadline:
                self.screenshot("failed.png")
                raise AssertionError(f"in {PATIENCE_SECONDS} s it did not come to this: {what}")
            time.sleep(GLANCE_SECONDS)
        return found

    def wait_for(self, what, expression):
        return self.wait(what, lambda: self.ask(expression))

    def screenshot(self, name):
        # What changes step by step, such as colours, is shown as it ends.
        self.driver.execute_script("for (const each of document.getAnimations()) "
                                   "if (each instanceof CSSTransition) each.finish()")
        self.driver.save_screenshot(os.path.join(self.directory, name))

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]
