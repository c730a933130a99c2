import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { afterAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { RELEASE } from '../../src/model/release.ts'
import { readConfig } from '../../src/process/settings/config.ts'
import { openExistingKeysOf } from '../../src/process/settings/keys-setting.ts'
import { guideBlock } from '../guides/guide-blocks.ts'
import { isOnPath } from './podman.ts'

const run = promisify(execFile)
const CHART = resolve(import.meta.dirname, '..', '..', 'deploy', 'helm', 'countinghouse')
/** The oldest and the newest Kubernetes version that the chart is checked against. */
const VERSIONS = ['1.27.0', '1.37.0']
/** Content of `settingsSecret`, as in the guide. */
const SECRET = { DATABASE_URL: 'postgres://countinghouse@database.example.com/countinghouse', METRICS_TOKEN: 'a-token-of-this-test' }

const missing = ['helm', 'kubernetes-validate'].filter((name) => !isOnPath(name))
const isSkipped = missing.length > 0 && process.env.CI !== 'true'
if (isSkipped) process.stderr.write(`SKIPPED: the Helm chart is not tested: no ${missing.join(', ')}\n`)

const Env = Type.Array(Type.Object({ name: Type.String(), value: Type.String() }))
const Container = Type.Object({
  args: Type.Array(Type.String()),
  image: Type.String(),
  env: Env,
  envFrom: Type.Array(Type.Object({ secretRef: Type.Object({ name: Type.String() }) })),
  securityContext: Type.Unknown(),
  startupProbe: Type.Optional(Type.Unknown()),
  livenessProbe: Type.Optional(Type.Unknown()),
  readinessProbe: Type.Optional(Type.Unknown()),
  volumeMounts: Type.Array(Type.Object({ name: Type.String(), mountPath: Type.String() })),
})
const Pod = Type.Object({
  automountServiceAccountToken: Type.Boolean(),
  securityContext: Type.Unknown(),
  containers: Type.Tuple([Container]),
  volumes: Type.Array(Type.Object({ name: Type.String() })),
})
const Resource = Type.Object({
  kind: Type.String(),
  metadata: Type.Object({ name: Type.String(), annotations: Type.Optional(Type.Record(Type.String(), Type.String())) }),
  spec: Type.Optional(Type.Object({ template: Type.Optional(Type.Object({ spec: Pod })), egress: Type.Optional(Type.Unknown()) })),
})

const Labels = Type.Record(Type.String(), Type.String())
const Selector = Type.Optional(Type.Object({ matchLabels: Type.Optional(Labels) }))
/** Resources that select pods. */
const SelectorResource = Type.Object({
  kind: Type.String(),
  metadata: Type.Object({ name: Type.String() }),
  spec: Type.Optional(
    Type.Object({
      maxUnavailable: Type.Optional(Type.Number()),
      selector: Type.Optional(Type.Unknown()),
      podSelector: Selector,
      policyTypes: Type.Optional(Type.Array(Type.String())),
      ingress: Type.Optional(Type.Unknown()),
      egress: Type.Optional(Type.Unknown()),
      template: Type.Optional(Type.Object({ metadata: Type.Object({ labels: Labels }) })),
    }),
  ),
})

/** Whether a selector chooses a pod with these labels. */
function selects(wanted: Readonly<Record<string, string>> = {}, labels: Readonly<Record<string, string>> = {}): boolean {
  return Object.keys(wanted).length > 0 && Object.entries(wanted).every(([name, value]) => labels[name] === value)
}

const MINIMAL = { baseUrl: 'https://data.example.com', settingsSecret: 'settings', keysSecret: 'keys' }
const FULL = {
  ...MINIMAL,
  sourcesSecret: 'sources',
  settings: {
    SEED_EMAIL: 'ann@example.com',
    LINK_MONTHS: 6,
    FEEDS_DIR: '/feeds',
    TRUSTED_PROXIES: '10.1.0.0/16',
    MAX_CONNECTIONS: 1_000_000,
    CONNECT_URL: 'https://connect.example.com',
  },
  image: { repository: 'registry.example.com/countinghouse', digest: `sha256:${'a'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  api: { replicas: 3, podAnnotations: { a: 'b' }, nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'only', operator: 'Exists' }] },
  extraVolumes: [{ name: 'feeds', persistentVolumeClaim: { claimName: 'feeds' } }],
  extraVolumeMounts: [{ name: 'feeds', mountPath: '/feeds' }],
  service: { type: 'LoadBalancer', port: 443, annotations: { c: 'd' } },
  ingress: { enabled: true, className: 'nginx', annotations: { e: 'f' }, tlsSecret: 'certificate' },
  networkPolicy: { apiFrom: [{ podSelector: {} }], metricsFrom: [{ namespaceSelector: { matchLabels: { team: 'monitoring' } } }] },
  serviceAccount: { annotations: { g: 'h' } },
}
const BARE = { ...MINIMAL, migration: { enabled: false }, podDisruptionBudget: { enabled: false }, networkPolicy: { enabled: false } }

describe.skipIf(isSkipped)(`the Helm chart${isSkipped ? ` (SKIPPED: no ${missing.join(', ')})` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'helm-'))
  afterAll(async () => await rm(folder, { recursive: true }))

  function write(values: unknown): string {
    const file = join(folder, 'values.json')
    writeFileSync(file, JSON.stringify(values))
    return file
  }
  const template = async (values: unknown) =>
    (await run('helm', ['template', 'countinghouse', CHART, '--kube-version', '1.30.0', '--values', write(values)])).stdout
  const parse = (text: string) => parseAllDocuments(text).map((document) => Parse(Resource, document.toJS()))
  const podOf = (resources: readonly ReturnType<typeof parse>[number][], name: string) => {
    const pod = resources.find(({ metadata, spec }) => metadata.name === `countinghouse-${name}` && spec?.template)?.spec?.template?.spec
    if (!pod) throw new Error(`no ${name}`)
    return pod
  }
  /** Environment of a container, as the cluster sets it. */
  const settingsOf = ({ env }: { env: { name: string; value: string }[] }) => ({
    ...SECRET,
    ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
  })

  it.each([
    ['the least', MINIMAL, ['Deployment', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount']],
    ['all', FULL, ['Deployment', 'Ingress', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount']],
    [
      'a certificate',
      { ...FULL, tlsSecret: 'own-tls' },
      ['Deployment', 'Ingress', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount'],
    ],
    ['nothing optional', BARE, ['Deployment', 'Service', 'ServiceAccount']],
  ])('with %s is valid for helm and for Kubernetes', async (_name, values, kinds) => {
    await run('helm', ['lint', '--strict', CHART, '--values', write(values)])
    const text = await template(values)
    expect([...new Set(parse(text).map(({ kind }) => kind))].sort()).toEqual(kinds)
    const file = join(folder, 'resources.yaml')
    writeFileSync(file, text)
    for (const version of VERSIONS) await run('kubernetes-validate', ['--strict', '--quiet', '-k', version, file])
  })

  it.each(['api', 'worker'])('runs the %s without privileges, with probes, and with settings that the service accepts', async (role) => {
    const pod = podOf(parse(await template(FULL)), role)
    const [container] = pod.containers
    expect([pod.automountServiceAccountToken, pod.securityContext, container.securityContext]).toEqual([
      false,
      expect.objectContaining({ runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } }),
      { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    ])
    expect([container.startupProbe, container.livenessProbe, container.readinessProbe]).toEqual(
      ['/livez', '/livez', '/readyz'].map((path) => expect.objectContaining({ httpGet: { path, port: 'metrics' } })),
    )
    expect([container.envFrom, container.image]).toEqual([
      [{ secretRef: { name: 'settings' } }],
      `${FULL.image.repository}@${FULL.image.digest}`,
    ])
    expect(container.volumeMounts.map(({ name }) => name)).toEqual(pod.volumes.map(({ name }) => name))
    const config = readConfig(settingsOf(container), container.args.slice(1))
    expect([config.role, config.environment, config.doubts, config.host, config.port]).toEqual([role, 'production', [], '0.0.0.0', 8480])
    expect([config.metricsListen, config.keys, config.limits.maxConnections, config.retention.links, config.trustedProxies]).toEqual([
      { host: '0.0.0.0', port: 9464 },
      { kind: 'file', path: '/run/countinghouse/keys/keys.json' },
      1_000_000,
      6,
      ['10.1.0.0/16'],
    ])
  })

  it('serves over https with the secret of a certificate, and the probes know it', async () => {
    const [api] = podOf(parse(await template({ ...MINIMAL, tlsSecret: 'own-tls' })), 'api').containers
    const { tls } = readConfig(settingsOf(api), api.args.slice(1))
    expect(tls).toEqual({ certFile: '/run/countinghouse/tls/tls.crt', keyFile: '/run/countinghouse/tls/tls.key' })
    expect(api.volumeMounts).toContainEqual(expect.objectContaining({ name: 'tls', mountPath: '/run/countinghouse/tls' }))
    expect([api.startupProbe, api.livenessProbe, api.readinessProbe]).toEqual(
      ['/livez', '/livez', '/readyz'].map((path) => expect.objectContaining({ httpGet: { path, port: 'metrics', scheme: 'HTTPS' } })),
    )
  })

  it('migrates before an installation and an upgrade, without resources that the installation creates later', async () => {
    const resources = parse(await template(MINIMAL))
    const job = resources.find(({ kind }) => kind === 'Job')
    expect(job?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
    const pod = podOf(resources, 'migration')
    expect([pod.containers[0].args, pod.containers[0].image]).toEqual([['migrate'], `countinghouse:${RELEASE}`])
    expect(JSON.stringify(pod)).not.toContain('serviceAccountName')
    expect(readConfig(settingsOf(pod.containers[0]), []).doubts).toEqual([])
  })

  it('lets one pod of a role at a time be taken away, and only those of its own', async () => {
    const documents = parseAllDocuments(await template(FULL)).map((document) => Parse(SelectorResource, document.toJS()))
    const budgets = documents.filter(({ kind }) => kind === 'PodDisruptionBudget')
    const pods = new Map(
      documents.filter(({ kind }) => kind === 'Deployment').map((each) => [each.metadata.name, each.spec?.template?.metadata.labels]),
    )
    expect(budgets.map(({ metadata, spec }) => [metadata.name, spec?.maxUnavailable])).toEqual([
      ['countinghouse-api', 1],
      ['countinghouse-worker', 1],
    ])
    for (const { metadata, spec } of budgets)
      expect(
        [...pods]
          .filter(([, labels]) => selects(Parse(Type.Object({ matchLabels: Labels }), spec?.selector).matchLabels, labels))
          .map(([name]) => name),
      ).toEqual([metadata.name])
  })

  it('names the hosts of both public addresses in the Ingress', async () => {
    const ingress = (await template(FULL)).split('---').find((document) => document.includes('kind: Ingress')) ?? ''
    expect([...ingress.matchAll(/- host: "(.+)"/g)].map(([, host]) => host)).toEqual(['data.example.com', 'connect.example.com'])
    expect(ingress).toContain('- hosts: ["data.example.com","connect.example.com"]')
  })

  it('lets only the named peers reach the API and the metrics, nobody the migration, and nobody cloud metadata', async () => {
    const documents = parseAllDocuments(await template(FULL)).map((document) => Parse(SelectorResource, document.toJS()))
    const policies = new Map(documents.filter(({ kind }) => kind === 'NetworkPolicy').map(({ metadata, spec }) => [metadata.name, spec]))
    const { apiFrom, metricsFrom } = FULL.networkPolicy
    const metrics = { ports: [{ port: 'metrics', protocol: 'TCP' }], from: metricsFrom }
    const ingressOf = (name: string) => policies.get(`countinghouse-${name}`)?.ingress
    expect([ingressOf('api'), ingressOf('worker'), ingressOf('migration')]).toEqual([
      [{ ports: [{ port: 'http', protocol: 'TCP' }], from: apiFrom }, metrics],
      [metrics],
      undefined,
    ])
    const owners = documents.filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    expect(owners.map(({ metadata }) => metadata.name).toSorted()).toEqual([...policies.keys()].toSorted())
    for (const { metadata, spec } of owners) {
      const policy = policies.get(metadata.name)
      expect(selects(policy?.podSelector?.matchLabels, spec?.template?.metadata.labels), metadata.name).toBe(true)
      expect(policy?.policyTypes).toEqual(['Ingress', 'Egress'])
      expect(JSON.stringify(policy?.egress)).toContain('"except":["169.254.169.254/32"]')
    }
  })

  it.each([
    ['no address', { baseUrl: '' }, 'baseUrl'],
    ['an address without https', { baseUrl: 'http://data.example.com' }, 'baseUrl'],
    ['an address with a path', { baseUrl: 'https://data.example.com/x' }, 'baseUrl'],
    ['no secret of settings', { settingsSecret: '' }, 'settingsSecret'],
    ['no secret of keys', { keysSecret: null }, 'keysSecret'],
    ['a misspelt value', { ingres: { enabled: true } }, 'ingres'],
    ['a misspelt setting', { settings: { SMTP_ULR: 'smtp://a' } }, 'SMTP_ULR'],
    ['a secret among the settings', { settings: { DATABASE_URL: 'postgres://a:b@c/d' } }, 'DATABASE_URL'],
    ['no replicas', { worker: { replicas: 0 } }, 'worker.replicas'],
    ['a tag for a digest', { image: { digest: 'latest' } }, 'image.digest'],
    ['a port that is none', { service: { port: 70_000 } }, 'service.port'],
  ])('refuses %s', async (_name, values, named) => {
    await expect(template({ ...MINIMAL, ...values })).rejects.toThrow(named)
  })

  it('has its secrets made as in the guide', async () => {
    const made = join(folder, 'secrets')
    const bin = join(folder, 'bin')
    const env = { PATH: [bin, dirname(process.execPath), process.env.PATH].join(':'), HOME: folder }
    mkdirSync(bin)
    mkdirSync(made)
    // `npx countinghouse` of a checkout, and what kubectl is asked for: there is no cluster.
    writeFileSync(join(bin, 'npx'), `#!/bin/sh\nshift; exec node ${resolve(CHART, '../../../bin/countinghouse.js')} "$@"\n`, {
      mode: 0o755,
    })
    const kubectl = `#!/bin/sh\ntest "$1 $2 $3" = "create secret generic"\nname=$4; shift 4\nprintf '%s\\n' "$@" > ${made}/$name\n`
    writeFileSync(join(bin, 'kubectl'), kubectl, { mode: 0o755 })
    const follow = async (block: string) => await run('sh', ['-euc', block], { cwd: folder, env })
    await follow(guideBlock('kubernetes.md', 'countinghouse-keys --from-file'))
    await follow(guideBlock('kubernetes.md', '--from-literal=DATABASE_URL'))
    expect(readFileSync(join(made, 'countinghouse-keys'), 'utf8')).toBe('--from-file=keys.json\n')
    const literals = readFileSync(join(made, 'countinghouse-settings'), 'utf8').match(/(?<=--from-literal=).*/g) ?? []
    const settings = Object.fromEntries(literals.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]))
    const config = readConfig(
      { ...settings, KEYS_FILE: join(folder, 'keys.json'), BASE_URL: MINIMAL.baseUrl, ENVIRONMENT: 'production' },
      [],
    )
    expect([Object.keys(settings), config.doubts]).toEqual([Object.keys(SECRET), []])
    expect((await openExistingKeysOf(config)).sealing.all).toHaveLength(1)
  })

  it('is installed as in the guide', async () => {
    const command = guideBlock('kubernetes.md', 'helm upgrade --install').replace(
      'helm upgrade --install',
      'helm template --kube-version 1.30.0',
    )
    const { stdout } = await run('sh', ['-euc', command], { cwd: resolve(CHART, '..', '..', '..') })
    const config = readConfig(settingsOf(podOf(parse(stdout), 'api').containers[0]), [])
    expect([config.baseUrl, config.seedEmail, config.doubts]).toEqual(['https://data.example.com', 'admin@example.com', []])
  })
})
