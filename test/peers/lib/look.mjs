// How a page is looked at: by axe-core for assistive technology, for what runs over
// the edge, and by whoever wants the screenshots.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const axe = readFileSync(fileURLToPath(new URL('../node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8');

// Where screenshots go, for whoever wants to look at them.
const folder = process.env.SCREENSHOTS;
if (folder) mkdirSync(folder, { recursive: true });

/** Every way in which pages are looked at: language, width, colours. */
export const looks = ['en', 'pt-BR', 'es'].flatMap((locale) => [
  { width: 'desktop', viewport: { width: 1280, height: 900 } },
  { width: 'phone', viewport: { width: 390, height: 844 } },
].flatMap(({ width, viewport }) => ['light', 'dark'].map((colorScheme) => ({
  name: `${locale}, ${width}, ${colorScheme}`, locale, viewport, colorScheme,
}))));

/** What axe-core finds wrong with the page. */
export async function faults(page) {
  // The page's own policy lets nothing in; the debugger's door does.
  const client = await page.context().newCDPSession(page);
  await client.send('Runtime.evaluate', { expression: axe });
  const { result } = await client.send('Runtime.evaluate', {
    expression: 'axe.run().then(r => JSON.stringify(r.violations.map(v => v.id + ": " + v.nodes.map(n => n.target + " " + n.failureSummary).join("; "))))',
    awaitPromise: true,
  });
  return JSON.parse(result.value);
}

/** The page is without faults, in its language, and inside of the screen. */
export async function check(page, name, look) {
  assert.equal(await page.locator('html').getAttribute('lang'), look.locale);
  assert.deepEqual(await faults(page), [], name);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(wide <= 0, `${name}: nothing stands outside of the screen: ${wide}`);
  if (folder) await page.screenshot({ path: `${folder}/${name}-${look.name.replaceAll(', ', '-')}.png`, fullPage: true });
}

/** Presses the tab key until what is wanted has the focus. */
export async function reach(page, what) {
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate((w) => document.activeElement?.matches(w), what)) return;
  }
  assert.fail(`${what} is not reached with the tab key`);
}
