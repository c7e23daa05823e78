// The approval page and the hosts' own pages: without faults for assistive
// technology, in three languages, at desktop and phone width, light and dark; the
// approval page without script and by keyboard, too.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';

import { ready } from './lib/comporta.mjs';
import { check, looks, reach } from './lib/look.mjs';
import { callback, openBrowser, signIn } from './lib/person.mjs';

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

describe('the approval page', () => {
  for (const look of looks) {
    test(look.name, async () => {
      const browser = await openBrowser(look);
      const { url, back } = await ask();
      try {
        await browser.page.goto(url);
        await check(browser.page, 'sign-in', look);
        await browser.page.locator('#token').fill(ready.tokens.member);
        await browser.page.locator('.sign button').click();
        await browser.page.locator('#approval').waitFor();
        const kind = browser.page.locator('#kind-application');
        await kind.locator('summary').click();
        await kind.locator('[role=status]').waitFor();
        await check(browser.page, 'approve', look);
      } finally {
        back.close();
        await browser.close();
      }
    });
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
    try {
      await browser.page.goto(url);
      await reach(browser.page, '#token');
      await keyboard.type(ready.tokens.member);
      await keyboard.press('Enter');
      await browser.page.locator('#approval').waitFor();
      await reach(browser.page, '#read_only');
      await keyboard.press('Space');
      assert.match(await browser.page.locator('#summary').textContent(), /Reads and writes/);
      await reach(browser.page, 'button[value=refuse]');
      await keyboard.press('Enter');
      assert.equal((await back.answer()).get('error'), 'access_denied');
    } finally {
      back.close();
      await browser.close();
    }
  });
});

// The hosts' own pages, which anybody may read: the front and the list of all tools.
describe('the pages of a host', () => {
  for (const look of looks) {
    test(look.name, async () => {
      const browser = await openBrowser(look);
      try {
        const { origin } = new URL(ready.areas.build);
        await browser.page.goto(`${origin}/`);
        await check(browser.page, 'front', look);
        await browser.page.goto(`${origin}/mcp/docs`);
        await browser.page.locator('#find').fill('delete application');
        assert.match(await browser.page.locator('.find [role=status]').textContent(), /^\d+ \S/);
        await check(browser.page, 'docs', look);
      } finally {
        await browser.close();
      }
    });
  }
});
