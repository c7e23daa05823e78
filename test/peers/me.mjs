// /me and the page on which a single call is approved: every page without faults for
// assistive technology, in three languages, at desktop and phone width, light and
// dark; without script, by keyboard, and following by itself what happens.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { fresh, headerOf, ready } from './lib/comporta.mjs';
import { check, looks, reach } from './lib/look.mjs';
import { approve, callback, openBrowser } from './lib/person.mjs';

let signedIn; // the person's cookies: one sign-in for all browsers
let agent; // the header of an agent that may write
let link; // its page
let application;
let waiting; // the page of a call that waits, and since when it does

async function call(area, authorization, name, args = {}) {
  const response = await fetch(ready.areas[area], {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', Authorization: authorization },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const { result } = await response.json();
  return { status: response.status, ...result?.structuredContent };
}

/** Connects an agent in the person's browser and gives its header. */
async function connect(page, change) {
  const back = await callback();
  const post = (path, type, body) => fetch(`${ready.auth}${path}`, { method: 'POST', headers: { 'Content-Type': type }, body }).then((r) => r.json());
  const { client_id: id } = await post('/register', 'application/json',
    JSON.stringify({ client_name: 'Claude Code', redirect_uris: [back.url], token_endpoint_auth_method: 'none' }));
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL(`${ready.auth}/authorize`);
  url.search = new URLSearchParams({
    response_type: 'code', client_id: id, redirect_uri: back.url, resource: ready.areas.build,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256',
  });
  await approve(page, url, 'member', change);
  const code = (await back.answer()).get('code');
  back.close();
  const tokens = await post('/token', 'application/x-www-form-urlencoded', new URLSearchParams({
    grant_type: 'authorization_code', client_id: id, code, redirect_uri: back.url, code_verifier: verifier,
  }));
  return `Bearer ${tokens.access_token}`;
}

const wants = () => call('build', agent, 'partial_update_application', { application_id: application, name: fresh('renamed') });

/** The page of a call that can still be decided: after 10 minutes none can be. */
async function undecided() {
  if (!waiting || Date.now() - waiting.since > 5 * 60_000) {
    waiting = { since: Date.now(), page: (await wants()).aprobar_en };
  }
  return waiting.page;
}

/** How many calls wait, as the page's cards say; its title must say the same. */
async function counted(page) {
  const cards = await page.locator('#waiting li').count();
  assert.match(await page.title(), cards ? new RegExp(`^\\(${cards}\\) `) : /^[^(]/, 'the title counts what waits');
  return cards;
}

before(async () => {
  const browser = await openBrowser({ locale: 'en' });
  const { page } = browser;
  const made = await call('build', headerOf('member'), 'create_application', { name: fresh('shop') });
  application = made.data.id;
  agent = await connect(page, async (p) => {
    await p.locator('#read_only').uncheck();
    await p.locator('input[name=ask][value=escrituras]').check();
  });
  for (let i = 0; i < 5; i++) await call('build', agent, 'list_applications');
  await call('build', agent, 'retrieve_application', { application_id: 99999999 });
  await undecided();
  await page.goto(`${ready.auth}/me`);
  link = await page.locator('.agent h3 a').first().getAttribute('href');
  signedIn = await page.context().storageState();
  await browser.close();
});

/** A browser in which the person is signed in. */
const open = (options = {}) => openBrowser({ locale: 'en', storageState: signedIn, ...options });

describe('every page', () => {
  for (const look of looks) {
    test(look.name, async () => {
      const browser = await open(look);
      const { page } = browser;
      const broken = [];
      page.on('pageerror', (error) => broken.push(error.message));
      try {
        const decide = await undecided();
        await page.goto(`${ready.auth}/me`);
        assert.ok(await counted(page) >= 1);
        await check(page, 'me', look);
        await page.locator('.acts summary').first().click();
        await check(page, 'me-revoke', look);
        for (const [name, path] of [['me-link', link], ['me-scope', `${link}/scope`], ['me-calls', '/me/calls']]) {
          await page.goto(`${ready.auth}${path}`);
          await check(page, name, look);
        }
        await page.goto(decide);
        await page.locator('.decide-one').waitFor();
        await check(page, 'approve-call', look);
        assert.deepEqual(broken, []);
      } finally {
        await browser.close();
      }
    });
  }
});

test('an administrator\'s pages', async () => {
  const look = looks[0];
  const browser = await openBrowser(look);
  const { page } = browser;
  try {
    await page.goto(`${ready.auth}/me`);
    await check(page, 'me-sign-in', look);
    await page.locator('#token').fill(ready.tokens.admin);
    await page.locator('.sign button').click();
    await page.locator('.tabs').waitFor();
    await check(page, 'me-nobody', look);
    for (const [name, path] of [['me-all', '/me/all'], ['me-all-calls', '/me/all/calls']]) {
      await page.goto(`${ready.auth}${path}`);
      await check(page, name, look);
    }
    assert.equal(await page.getByText('Claude Code').count() > 0, true);
  } finally {
    await browser.close();
  }
});

test('the page follows what happens, and leaves alone what the person is at', async () => {
  const browser = await open();
  const { page } = browser;
  try {
    await page.goto(`${ready.auth}/me`);
    await page.locator('.acts summary').first().click();
    const listens = page.waitForResponse((r) => r.url().endsWith('/me/live'));
    await page.goto(`${ready.auth}/me`);
    await listens;
    await page.locator('.acts summary').first().click();
    const cards = await counted(page);
    await wants();
    await page.waitForFunction((n) => document.querySelectorAll('#waiting li').length === n + 1, cards, { timeout: 15_000 });
    assert.equal(await counted(page), cards + 1);
    assert.equal(await page.locator('.acts details[open]').count(), 1, 'the open question stays open');
  } finally {
    await browser.close();
  }
});

test('works without script', async () => {
  const browser = await open({ javaScriptEnabled: false });
  const { page } = browser;
  try {
    await page.goto(`${ready.auth}/me`);
    await page.getByRole('button', { name: 'Pause: Claude Code' }).first().click();
    assert.equal(await page.getByRole('status').first().textContent(), 'Paused. Its calls are refused until you let it go on.');
    await sleep(1000);
    assert.equal((await call('build', agent, 'list_applications')).status, 403);
    await page.getByRole('button', { name: 'Let it go on: Claude Code' }).first().click();
    await sleep(1000);
    assert.equal((await call('build', agent, 'list_applications')).status, 200);

    await page.goto(`${ready.auth}${link}/scope`);
    await page.locator('#kind-application summary').click();
    await page.locator('#kind-application button[name=show]').click();
    await page.locator('#kind-application [role=status]').waitFor();
    await page.locator(`#kind-application input[value^="${application}\t"]`).check();
    await page.locator('#kind-application input[value=some]').check();
    await page.getByRole('button', { name: 'Save' }).click();
    assert.match(page.url(), /did=narrow/);
    await sleep(1000);
    const listed = await call('build', agent, 'list_applications');
    assert.deepEqual(listed.results.map((a) => a.id), [application]);

    await page.goto(`${ready.auth}${link}/scope`);
    await page.locator('input[name=area][value=storage]').check();
    await page.getByRole('button', { name: 'Save' }).click();
    assert.match(page.url(), /\/scope\/[0-9a-f]{32}$/, 'more waits');
    assert.equal(await page.getByText('It gets one more area: storage.').count(), 1);

    await page.goto(`${ready.auth}/me/calls`);
    await page.locator('#tool').fill('list_applications');
    await page.getByRole('button', { name: 'Show' }).click();
    assert.ok(await page.locator('.call').count() >= 5);
    const file = await page.context().request.get(`${ready.auth}/me/calls.csv?tool=list_applications`);
    assert.match(file.headers()['content-disposition'], /^attachment; filename="comporta-calls-.*\.csv"$/);
    assert.match(await file.text(), /^fecha,tipo,/);
  } finally {
    await browser.close();
  }
});

test('works by keyboard alone, up to the end of all agents', async () => {
  const browser = await open();
  const { page } = browser;
  const { keyboard } = page;
  try {
    await page.goto(await undecided());
    await reach(page, '#words');
    await keyboard.type('not today');
    await reach(page, 'button[value=refuse]');
    await keyboard.press('Enter');
    await page.locator('.card[aria-live]').waitFor();
    await page.goto(`${ready.auth}/me`);
    await reach(page, '.card.sure > summary');
    await keyboard.press('Enter');
    await reach(page, '.card.sure button[value=revoke]');
    await keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    assert.equal(await page.getByRole('status').first().textContent(), 'All your agents are revoked.');
    await sleep(1000);
    assert.equal((await call('build', agent, 'list_applications')).status, 401);
  } finally {
    await browser.close();
  }
});

