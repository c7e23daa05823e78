// The approval page: without faults for assistive technology, in three languages,
// at desktop and phone width, light and dark, without script, and by keyboard.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { ready } from './lib/comporta.mjs';
import { callback, openBrowser, signIn } from './lib/person.mjs';

const axe = readFileSync(fileURLToPath(new URL('node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8');

// Where screenshots go, for whoever wants to look at them.
const folder = process.env.COMPORTA_SCREENSHOTS;
if (folder) mkdirSync(folder, { recursive: true });

/** Registers a client and gives an authorization URL and its callback. */
async function ask() {
  const back = await callback();
  const registered = await fetch(`${ready.auth}/register`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Claude Code', redirect_uris: [back.url], token_endpoint_auth_method: 'none' }),
  });
  const { client_id: id } = await registered.json();
  const url = new URL(`${ready.auth}/authorize`);
  url.search = new URLSearchParams({
    response_type: 'code', client_id: id, redirect_uri: back.url, resource: ready.areas.build, state: 's',
    code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'), code_challenge_method: 'S256',
  });
  return { url: String(url), back };
}

async function faults(page) {
  // The page's own policy lets nothing in; the debugger's door does.
  const client = await page.context().newCDPSession(page);
  await client.send('Runtime.evaluate', { expression: axe });
  const { result } = await client.send('Runtime.evaluate', {
    expression: 'axe.run().then(r => JSON.stringify(r.violations.map(v => v.id + ": " + v.nodes.map(n => n.target + " " + n.failureSummary).join("; "))))',
    awaitPromise: true,
  });
  return JSON.parse(result.value);
}

const looks = [
  { name: 'desktop', viewport: { width: 1100, height: 900 } },
  { name: 'phone', viewport: { width: 390, height: 844 } },
];

describe('the approval page', () => {
  for (const locale of ['en', 'pt-BR', 'es']) {
    for (const look of looks) {
      for (const colorScheme of ['light', 'dark']) {
        test(`${locale}, ${look.name}, ${colorScheme}`, async () => {
          const browser = await openBrowser({ locale, viewport: look.viewport, colorScheme });
          const { url, back } = await ask();
          const shot = async (name) => {
            if (folder) await browser.page.screenshot({ path: `${folder}/${name}-${locale}-${look.name}-${colorScheme}.png`, fullPage: true });
          };
          try {
            await browser.page.goto(url);
            assert.equal(await browser.page.locator('html').getAttribute('lang'), locale);
            assert.deepEqual(await faults(browser.page), []);
            await shot('sign-in');
            await browser.page.locator('#token').fill(ready.tokens.member);
            await browser.page.locator('.sign button').click();
            await browser.page.locator('#approval').waitFor();
            const kind = browser.page.locator('#kind-application');
            await kind.locator('summary').click();
            await kind.locator('[role=status]').waitFor();
            assert.deepEqual(await faults(browser.page), []);
            const wide = await browser.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
            assert.ok(wide <= 0, `nothing stands outside of the screen: ${wide}`);
            await shot('approve');
          } finally {
            back.close();
            await browser.close();
          }
        });
      }
    }
  }

  test('works without script', async () => {
    const browser = await openBrowser({ javaScriptEnabled: false });
    const { url, back } = await ask();
    try {
      await browser.page.goto(url);
      await signIn(browser.page, 'member');
      await browser.page.locator('#kind-application summary').click();
      await browser.page.locator('#kind-application button[name=show]').click();
      await browser.page.locator('#kind-application [role=status]').waitFor();
      await browser.page.getByRole('button', { name: 'Approve' }).click();
      assert.notEqual((await back.answer()).get('code'), null);
    } finally {
      back.close();
      await browser.close();
    }
  });

  test('works by keyboard alone', async () => {
    const browser = await openBrowser();
    const { url, back } = await ask();
    const { keyboard } = browser.page;
    const reach = async (what) => {
      for (let i = 0; i < 80; i++) {
        await keyboard.press('Tab');
        if (await browser.page.evaluate((w) => document.activeElement?.matches(w), what)) return;
      }
      assert.fail(`${what} is not reached with the tab key`);
    };
    try {
      await browser.page.goto(url);
      await reach('#token');
      await keyboard.type(ready.tokens.member);
      await keyboard.press('Enter');
      await browser.page.locator('#approval').waitFor();
      await reach('#read_only');
      await keyboard.press('Space');
      assert.match(await browser.page.locator('#summary').textContent(), /Reads and writes/);
      await reach('button[value=refuse]');
      await keyboard.press('Enter');
      assert.equal((await back.answer()).get('error'), 'access_denied');
    } finally {
      back.close();
      await browser.close();
    }
  });
});
