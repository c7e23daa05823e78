// The client scenarios of the official conformance suite against package agent,
// once per era: the suite starts bin/conformanceclient for each.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { run } from './lib/node22.mjs';

const client = fileURLToPath(new URL('../../bin/conformanceclient', import.meta.url));
const suite = '@modelcontextprotocol/conformance/dist/index.js';

const { out: list } = await run(suite, ['list']);
const scenarios = [...list.slice(list.indexOf('Client scenarios')).split('\n\n')[0].matchAll(/^ {2}- (\S+) \[(.*)\]/gm)]
  .map(([, name, revisions]) => ({ name, revisions: revisions.split(',') }));
assert.ok(scenarios.length > 40, list);

let passed = 0;
let checksPassed = 0;
after(() => console.log(`# client conformance: ${passed} scenarios, ${checksPassed} checks passed`));

for (const revision of ['2025-03-26', '2025-11-25', '2026-07-28']) {
  describe(`client conformance ${revision}`, { concurrency: 4 }, () => {
    for (const { name } of scenarios.filter(({ revisions }) => revisions.includes(revision))) {
      test(name, async (t) => {
        const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
        try {
          const args = ['client', '--command', client, '--scenario', name, '--spec-version', revision, '-o', folder];
          const { out, err } = await run(suite, args, { seconds: 90 });
          const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('checks.json'));
          const checks = files.flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
          assert.ok(checks.length > 0, `the scenario made checks\n${out}${err}`);
          const failed = checks.filter((check) => check.status === 'FAILURE');
          assert.deepEqual(failed.map((check) => `${check.id}: ${check.errorMessage ?? check.description}`), [], out + err);
          for (const check of checks.filter(({ status }) => status === 'WARNING')) {
            t.diagnostic(`warning: ${check.id}: ${check.errorMessage ?? check.description}`);
          }
          passed += 1;
          checksPassed += checks.filter(({ status }) => status === 'SUCCESS').length;
        } finally {
          rmSync(folder, { recursive: true, force: true });
        }
      });
    }
  });
}
