#!/usr/bin/env python3
"""Holds the live page of a gateway that wants a token in a browser. Started by scripts/page.

    python3 access.py URL TOKEN DIRECTORY
"""
import sys

from browser import Browser
from selenium.webdriver.common.keys import Keys


def is_asked(browser):
    return browser.find("#access").is_displayed()


def give(browser, text):
    field = browser.find("#token")
    field.clear()
    field.send_keys(text, Keys.ENTER)


def main(url, token, directory):
    browser = Browser(url, directory)
    try:
        browser.wait("the page asks for a token", lambda: is_asked(browser))
        give(browser, "é")
        browser.wait("what is no token is said", lambda: "visible ASCII" in browser.find("#accesssaid").text)
        give(browser, "lw_wrong")
        browser.wait("a wrong one is said", lambda: "does not know" in browser.find("#accesssaid").text)
        browser.screenshot("access.png")
        give(browser, token)
        browser.wait("with the right one it is connected", lambda: browser.find("#statetext").text == "connected")
        for where in ("location.href", "document.cookie", "document.body.innerHTML", "JSON.stringify(localStorage)"):
            if token in browser.ask(where):
                raise AssertionError(f"the token is in {where}")
        browser.press("p")
        browser.press("0")
        browser.wait_for("the playground is used with it", "Object.values(lastword.play()).every(log => log.length)")
        browser.driver.refresh()
        browser.wait("a reload keeps it", lambda: browser.find("#statetext").text == "connected")
        if is_asked(browser):
            raise AssertionError("it is asked for a second time")
    finally:
        browser.close()
    print("with a token: asked for, refused when wrong, kept in the tab")


if __name__ == "__main__":
    main(*sys.argv[1:])
