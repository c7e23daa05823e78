// The official conformance suite, once per era, with the scenarios that apply to
// a product server as it is; the others want fixture tools.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { headerOf, ready } from './lib/comporta.mjs';
import { run } from './lib/node22.mjs';
import { authorized } from './lib/proxy.mjs';

const scenarios = {
  '2025-11-25': [
    'server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection', 'server-sse-multiple-streams',
    'prompts-list', 'resources-list',
  ],
  '2026-07-28': [
    'server-stateless', 'tools-list', 'dns-rebinding-protection', 'http-header-validation', 'caching',
    'server-sse-multiple-streams', 'input-required-result-unsupported-methods', 'prompts-list', 'resources-list',
    'sep-2164-resource-not-found',
  ],
};

let proxy;
before(async () => { proxy = await authorized(ready.areas.build, headerOf('member')); });
after(() => proxy.close());

for (const [revision, names] of Object.entries(scenarios)) {
  describe(`conformance ${revision}`, () => {
    for (const name of names) {
      test(name, async (t) => {
        const { code, out, err, checks } = await suite(revision, name);
        assert.ok(checks.length > 0, `the scenario made checks\n${out}${err}`);
        const failed = checks.filter((check) => check.status === 'FAILURE');
        const wrong = failed.filter((check) => !wantsFixture(check));
        assert.deepEqual(wrong.map((check) => `${check.id}: ${check.errorMessage}`), []);
        for (const check of failed) {
          t.diagnostic(`not tested, it wants a fixture tool: ${check.id}`);
        }
        assert.equal(code, failed.length > 0 ? 1 : 0, out + err);
        for (const check of checks.filter(({ status }) => status === 'WARNING')) {
          t.diagnostic(`warning: ${check.id}: ${check.errorMessage ?? check.description}`);
        }
        t.diagnostic(`${checks.length - failed.length} checks passed`);
      });
    }
  });
}

/** Whether a check failed only because a product server has no fixture tools of the suite. */
function wantsFixture(check) {
  return /^Not testable: server does not list the diagnostic tool 'test_\w+'/.test(check.errorMessage);
}

/** Runs one scenario and reads the checks it wrote. */
async function suite(revision, scenario) {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    const args = ['server', '--url', proxy.url, '--scenario', scenario, '--spec-version', revision, '-o', folder];
    const result = await run('@modelcontextprotocol/conformance/dist/index.js', args, { seconds: 120 });
    const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('checks.json'));
    const checks = files.flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
    return { ...result, checks };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
