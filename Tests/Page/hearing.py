"""What a page says to whoever does not see it, or not well: its accessibility tree, and how its text stands out."""
from browser import expect

# WCAG 2.2, section 1.4.3: text, and text of 24 px or of 18.66 px in bold.
LEAST_CONTRAST, LEAST_CONTRAST_OF_LARGE = 4.5, 3.0

CONTRASTS = r"""
const channels = color => (color.match(/[\d.]+/g) || []).map(Number);
const drawing = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const pixel = colors => {
  drawing.clearRect(0, 0, 1, 1);
  for (const color of colors) { drawing.fillStyle = color; drawing.fillRect(0, 0, 1, 1); }
  return [...drawing.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
const luminance = rgb => {
  const [r, g, b] = rgb.map(value => value / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const found = [];
for (const element of document.querySelectorAll('body *')) {
  const text = [...element.childNodes].filter(node => node.nodeType === 3).map(node => node.data.trim()).join('');
  const box = element.getBoundingClientRect(), style = getComputedStyle(element);
  if (!text || !element.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
  if (box.width <= 1 || box.height <= 1) continue;
  const grounds = [];
  for (let each = element; each; each = each.parentElement) grounds.unshift(getComputedStyle(each).backgroundColor);
  grounds.unshift('white');
  const ground = luminance(pixel(grounds)), ink = luminance(pixel([...grounds, style.color]));
  const ratio = (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05);
  const size = parseFloat(style.fontSize);
  const isLarge = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
  found.push([ratio, isLarge, element.tagName.toLowerCase() + '.' + element.className, text.slice(0, 30)]);
}
return found;
"""


def heard(browser):
    """What a screen reader is told: role, name, and the other properties of each thing, in its order."""
    nodes = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    told = []
    for node in nodes:
        if node.get("ignored"):
            continue
        properties = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
        told.append((node["role"]["value"], node.get("name", {}).get("value", ""), properties))
    return told


def expect_heard(told, role, name, **properties):
    for found_role, found_name, found in told:
        if (found_role, found_name) == (role, name) and properties.items() <= found.items():
            return
    alike = [one for one in told if one[0] == role]
    raise AssertionError(f"no {role} called {name!r} with {properties} is heard, but {alike}")


def expect_named(told):
    """What can be used has a name."""
    for role, name, properties in told:
        if properties.get("focusable") and role != "RootWebArea":
            expect(name.strip(), f"a {role} that has no name")


def expect_contrast(browser):
    texts = browser.driver.execute_script(CONTRASTS)
    expect(texts, "there is text")
    for ratio, is_large, element, text in texts:
        least = LEAST_CONTRAST_OF_LARGE if is_large else LEAST_CONTRAST
        expect(ratio >= least, f"{text!r} of {element} has a contrast of {ratio:.2f}, less than {least}")
