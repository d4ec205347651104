// Expressions for `evaluate` that measure a page's layout.

/** The lowest contrast between text and background, by the formula in the accessibility guidelines. */
export const LEAST_CONTRAST = `(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgb = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => { for (let at = element; at; at = at.parentElement) { const color = rgb(getComputedStyle(at).backgroundColor); if (color[3] === 255) return color; } return [255, 255, 255, 255]; };
  let least = { ratio: 99 };
  for (const element of document.querySelectorAll('body *')) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')) continue;
    const [a, b] = [light(rgb(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < least.ratio) least = { ratio, what: element.className || element.tagName, text: element.textContent };
  }
  return least;
})()`;

/** Measures how far elements extend beyond the page's width, except in scrollable boxes. */
export const SIDEWAYS = `document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth`;
