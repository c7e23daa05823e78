// The person in front of the browser: signs in with a token and approves, in a
// real Chromium, as the page offers it.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { after } from 'node:test';

import { chromium } from 'playwright-core';

import { ready } from './comporta.mjs';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const args = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];

// One Chromium serves a whole script: each start of one costs more than most
// tests, and a machine under load kills some of them at once.
let chromiumOfThisScript;
after(async () => (await chromiumOfThisScript)?.close());

/** A browser profile of its own, with nobody signed in. Close it. */
export async function openBrowser(options = {}) {
  chromiumOfThisScript ??= chromium.launch({ executablePath, args, headless: true });
  const context = await (await chromiumOfThisScript).newContext(options);
  return { context, page: await context.newPage(), close: () => context.close() };
}

/** Signs in on the page that is shown, unless somebody is. */
export async function signIn(page, who) {
  const field = page.getByLabel('Personal token').first();
  if (await page.locator('#approval').count() === 0 && await field.count() > 0) {
    await field.fill(ready.tokens[who]);
    await Promise.all([page.waitForLoadState('load'), page.getByRole('button', { name: 'Sign in' }).click()]);
    await page.locator('#approval').waitFor();
  }
}

/** Goes the person's way from the client's URL to the answer; change(page) sets the form. */
export async function approve(page, url, who, change = async () => {}) {
  await page.goto(String(url));
  await signIn(page, who);
  await change(page);
  await page.getByRole('button', { name: 'Approve' }).click();
}

/** A client's callback on loopback: {url, answer(): URLSearchParams, close()}. */
export async function callback() {
  let arrived;
  const answer = new Promise((resolve) => { arrived = resolve; });
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://127.0.0.1');
    response.end('You can close this page.');
    if (url.pathname === '/callback') arrived(url.searchParams);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/callback`,
    answer: () => answer,
    close: () => { server.closeAllConnections(); server.close(); },
  };
}

/** What the SDKs ask of a host that keeps tokens; it keeps them in memory. */
export class Keeper {
  constructor(redirectUrl) { this.redirectUrl = redirectUrl; }
  get clientMetadata() {
    return {
      client_name: 'Comporta peers', redirect_uris: [this.redirectUrl], token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'],
    };
  }
  state() { return 'a b/+%~'; }
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.kept; }
  saveTokens(tokens) { this.kept = tokens; this.saved = (this.saved ?? 0) + 1; }
  redirectToAuthorization(url) { this.asked = url; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  /** What happens in the eight hours that a test does not wait for. */
  spoilAccessToken() { this.kept = { ...this.kept, access_token: `${this.kept.access_token.slice(0, -3)}AAA` }; }
}

/** The state that a client gets back is its own. */
export function checkAnswer(answer, keeper) {
  assert.equal(answer.get('error'), null, String(answer));
  assert.equal(answer.get('state'), keeper.state());
  assert.equal(answer.get('iss'), ready.auth);
}
