// A whole site at the edge, made by MCP calls and nothing else, read back, and
// taken away again. It keeps to the manners of the hosts: a key for everything
// that is made, ver_operacion for what takes time, reintentar_en_segundos where
// it is told, the exact name where a deletion wants it.
//
//   COMPORTA_READY=$PWD/.comporta/ready.json test/peers/run edge-site.mjs
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, before, test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { selfSigned } from './lib/certificate.mjs';
import { follow, fresh, headerOf, patient, ready, value } from './lib/comporta.mjs';

const site = fresh('site');
const host = `${site}.example.com`;
const tls = selfSigned(host);
const page = `<!doctype html><title>${site}</title><p>Olá, edge`;

/** area → call(tool, args) */
const hosts = {};

before(async () => {
  for (const area of ['build', 'secure', 'storage', 'observe']) {
    const client = new Client({ name: 'edge-site', version: '1.0.0' });
    const requestInit = { headers: { Authorization: headerOf('member') } };
    await client.connect(new StreamableHTTPClientTransport(new URL(ready.areas[area]), { requestInit }));
    hosts[area] = { call: patient((name, args) => client.callTool({ name, arguments: args })), close: () => client.close() };
  }
});

after(async () => {
  for (const one of Object.values(hosts)) {
    await one.close();
  }
});

/** Calls a tool; what takes time is followed to its good end. */
async function call(area, tool, args) {
  const answer = value(await hosts[area].call(tool, args));
  if (!answer.operacion_id) {
    return answer;
  }
  const end = (await follow(hosts[area].call, answer.operacion_id)).at(-1);
  assert.equal(end.estado, 'ok', `${tool}: ${JSON.stringify(end.error)}`);
  return end.resultado;
}

const make = (area, tool, args) => call(area, tool, { ...args, idempotency_key: fresh('key') });

/** The tool that reads a thing back. */
const reader = (step) => step.read ?? `retrieve_${step.kind}`;

/** What exists: name → {area, kind, id, args}; args are the ids that lead to it. */
const made = {};

const always = (type, attributes) => ({
  name: `${site}-${type.replaceAll('_', '-')}`,
  criteria: [[{ conditional: 'if', variable: '${uri}', operator: 'starts_with', argument: '/' }]],
  behaviors: [attributes ? { type, attributes } : { type }],
});
const id = (name) => made[name].id;

/**
 * The site, in the order in which it is made: what a thing is called here, its
 * host, its kind (create_<kind>, retrieve_<kind>, delete_<kind>), the arguments
 * that place it below another thing, and what it is. by is the argument that
 * names it; yes says that a plain yes confirms its deletion, not its name.
 */
const plan = [
  { as: 'bucket', area: 'storage', kind: 'bucket', by: 'bucket_name', keyed: true, is: () => ({ name: site, workloads_access: 'read_only' }) },
  { as: 'object', area: 'storage', kind: 'object_key', by: 'object_key', keyed: 'index.html', yes: true, read: 'download_object',
    below: () => ({ bucket_name: site }), is: () => ({ object_key: 'index.html', body: page }) },
  { as: 'connector', area: 'build', kind: 'connector', by: 'connector_id',
    is: () => ({ name: site, type: 'storage', attributes: { bucket: site } }) },
  { as: 'application', area: 'build', kind: 'application', by: 'application_id',
    is: () => ({ name: site, modules: { functions: { enabled: true } } }) },
  { as: 'cache setting', area: 'build', kind: 'cache_setting', by: 'cache_setting_id', yes: true,
    below: () => ({ application_id: id('application') }), is: () => ({ name: site }) },
  { as: 'function', area: 'build', kind: 'function', by: 'function_id',
    is: () => ({ name: site, code: 'addEventListener("fetch", (e) => e.respondWith(new Response("edge")));' }) },
  { as: 'instance', area: 'build', kind: 'application_function_instance', by: 'function_id', yes: true,
    below: () => ({ application_id: id('application') }), is: () => ({ name: site, function: id('function') }) },
  { as: 'rule: content', area: 'build', kind: 'application_request_rule', by: 'request_rule_id', yes: true,
    below: () => ({ application_id: id('application') }), is: () => always('set_connector', { value: id('connector') }) },
  { as: 'rule: function', area: 'build', kind: 'application_request_rule', by: 'request_rule_id', yes: true,
    below: () => ({ application_id: id('application') }), is: () => always('run_function', { value: id('instance') }) },
  { as: 'rule: header', area: 'build', kind: 'application_response_rule', by: 'response_rule_id', yes: true,
    below: () => ({ application_id: id('application') }), is: () => always('add_response_header', { value: `X-Site: ${site}` }) },
  { as: 'network list', area: 'secure', kind: 'network_list', by: 'network_list_id',
    is: () => ({ name: site, type: 'ip_cidr', items: ['192.0.2.0/24'] }) },
  { as: 'WAF', area: 'secure', kind: 'waf', by: 'waf_id', is: () => ({ name: site }) },
  { as: 'firewall', area: 'secure', kind: 'firewall', by: 'firewall_id',
    is: () => ({ name: site, modules: { waf: { enabled: true }, network_protection: { enabled: true } } }) },
  { as: 'rule: WAF', area: 'secure', kind: 'firewall_rule', by: 'request_rule_id', yes: true,
    below: () => ({ firewall_id: id('firewall') }),
    is: () => ({ ...always('set_waf', { waf_id: id('WAF'), mode: 'logging' }),
      criteria: [[{ conditional: 'if', variable: '${request_uri}', operator: 'starts_with', argument: '/' }]] }) },
  { as: 'rule: list', area: 'secure', kind: 'firewall_rule', by: 'request_rule_id', yes: true,
    below: () => ({ firewall_id: id('firewall') }),
    is: () => ({ ...always('deny'),
      criteria: [[{ conditional: 'if', variable: '${network}', operator: 'is_in_list', argument: id('network list') }]] }) },
  { as: 'certificate', area: 'secure', kind: 'certificate', by: 'certificate_id',
    is: () => ({ name: site, certificate: tls.certificate, private_key: tls.key }), hidden: ['private_key'] },
  { as: 'zone', area: 'secure', kind: 'dns_zone', by: 'zone_id', is: () => ({ name: site, domain: host, active: true }) },
  { as: 'workload', area: 'build', kind: 'workload', by: 'workload_id',
    is: () => ({ name: site, domains: [host], tls: { certificate: id('certificate') } }) },
  { as: 'deployment', area: 'build', kind: 'workload_deployment', by: 'deployment_id', yes: true,
    below: () => ({ workload_id: id('workload') }),
    is: () => ({ name: site, strategy: { type: 'default', attributes: { application: id('application'), firewall: id('firewall') } } }) },
  { as: 'record', area: 'secure', kind: 'dns_record', by: 'record_id', yes: true,
    below: () => ({ zone_id: id('zone') }),
    is: () => ({ name: 'www', type: 'CNAME', rdata: [`${made.workload.told.workload_domain || host}.`], ttl: 300 }) },
];

for (const step of plan) {
  test(`make the ${step.as}: create_${step.kind}`, async () => {
    const place = step.below?.() ?? {};
    const args = step.is();
    const answer = await make(step.area, `create_${step.kind}`, { ...place, ...args });
    const told = answer.data ?? answer;
    const own = step.keyed === true ? args.name : step.keyed || told.id;
    assert.ok(own, `${step.as} has an id: ${JSON.stringify(answer)}`);
    made[step.as] = { id: own, where: { ...place, [step.by]: own }, args, told };
    for (const field of step.hidden ?? []) {
      assert.ok(!JSON.stringify(answer).includes(args[field].slice(40, 90)), `${field} is not told`);
    }
  });
}

/** All that was asked for is in what was told, also where it is told as somebody else's words. */
function agrees(asked, answered, path) {
  const told = answered?.origen === 'no_confiable' ? answered.contenido : answered;
  if (asked === null || typeof asked !== 'object') {
    assert.equal(told, asked, path);
    return;
  }
  assert.ok(told !== null && typeof told === 'object', `${path} is there`);
  for (const [key, want] of Object.entries(asked)) {
    agrees(want, told[key], `${path}.${key}`);
  }
}

test('read everything back', async (t) => {
  for (const step of plan) {
    const one = made[step.as];
    if (!one) {
      continue; // its own step says why
    }
    await t.test(`${reader(step)}: the ${step.as}`, async () => {
      const answer = await call(step.area, reader(step), one.where);
      if (step.as === 'object') {
        assert.ok(JSON.stringify(answer).includes(JSON.stringify(page).slice(1, -1)), 'the page is there, byte for byte');
        return;
      }
      const told = answer.data ?? answer;
      const wanted = Object.entries(one.args).filter(([key]) => !['code', 'private_key', 'certificate', 'object_key'].includes(key));
      agrees(Object.fromEntries(wanted), told, step.as);
      if (step.kind === 'certificate') {
        assert.equal(new X509Certificate(tls.certificate).subject, `CN=${host}`);
        assert.ok(!JSON.stringify(answer).includes(tls.key.slice(40, 90)), 'the private key never comes back');
      }
    });
  }
});

test('ask observe what the platform saw of it', async () => {
  const stamp = (ms) => new Date(Date.now() + ms).toISOString().slice(0, 19);
  const graphql = `{ httpMetrics(limit: 10, filter: {tsRange: {begin: "${stamp(-3_600_000)}", end: "${stamp(60_000)}"}, requestMethod: "POST"}, aggregate: {sum: requests}, groupBy: [requestMethod]) { requestMethod sum } }`;
  const answer = await call('observe', 'run_graphql_query', { graphql, dataSource: 'real-time-metrics' });
  assert.equal(answer.resultado.origen, 'no_confiable');
  const [row] = answer.resultado.contenido.httpMetrics;
  assert.ok(row.sum >= Object.keys(made).length, `${row.sum} writes were seen, at least ${Object.keys(made).length}`);
});

test('take everything away, the last one first', async (t) => {
  for (const step of [...plan].reverse()) {
    const one = made[step.as];
    if (!one) {
      continue;
    }
    await t.test(`delete_${step.kind}: the ${step.as}`, async () => {
      const confirm = step.yes ? { confirmado: true } : { confirmacion: one.args.name ?? site };
      await call(step.area, `delete_${step.kind}`, { ...one.where, ...confirm });
      const gone = await hosts[step.area].call(reader(step), one.where);
      assert.ok(gone.isError, `${step.as} is gone`);
      assert.equal(JSON.parse(gone.content[0].text).code, 'no_encontrado');
    });
  }
});
