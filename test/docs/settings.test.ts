import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..', '..')
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8')

it('the README’s table names exactly the settings that exist', () => {
  const code = ['config.ts', 'limits.ts', 'database-settings.ts', 'page-bucket.ts', 'tls-settings.ts']
    .map((file) => read('src', 'process', 'settings', file))
    .join('')
  const single = [...code.matchAll(/\b(?:read|number)\(\s*'([A-Z_]+)'/g)].map(([, name = '']) => name)
  const secrets = [...code.matchAll(/\breadSecret(?:Source)?\(read, '([A-Z_]+)'/g)].map(([, name = '']) => name)
  const fresh = [...code.matchAll(/\breadFreshSource\(read, '([A-Z_]+)'/g)].flatMap(([, name]) => [`${name}_FILE`, `${name}_COMMAND`])
  const known = [...new Set(single), ...fresh, ...secrets.flatMap((name) => [name, `${name}_FILE`, `${name}_COMMAND`])]
  expect(known.length).toBeGreaterThan(30)
  const table = read('README.md').split('## Settings')[1]?.split('\n## ')[0] ?? ''
  const rows = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names = '']) => [...names.matchAll(/`([A-Z_]+)`/g)])
  const names = rows.map(([, name]) => name)
  expect(names.filter((name) => !name?.startsWith('OTEL_')).sort()).toEqual(known.sort())
})

it('the Helm chart takes every setting that it does not make itself, and no secret one', () => {
  const own = [
    'BASE_URL',
    'DATA_DIR',
    'ENVIRONMENT',
    'HOST',
    'KEYS_FILE',
    'METRICS_LISTEN',
    'PORT',
    'ROLE',
    'TLS_CERT_FILE',
    'TLS_KEY_FILE',
  ]
  const secret =
    /^((DATABASE_URL|DATABASE_DIRECT_URL|DATABASE_READ_URL|SMTP_URL|METRICS_TOKEN|RAW_PAGE_BUCKET_KEY)(_FILE|_COMMAND)?|SEED_PASSWORD|KEYS(_COMMAND)?|BACKUP_PASSPHRASE.*)$/
  const ofSandbox = ['MAIL_CATCHER_PORT']
  const table = read('README.md').split('## Settings')[1]?.split('\n## ')[0] ?? ''
  const named = [...table.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names = '']) => [...names.matchAll(/`([A-Z_]+)`/g)])
  const wanted = named.map(([, name = '']) => name).filter((name) => !own.includes(name) && !secret.test(name) && !ofSandbox.includes(name))
  const schema: { properties: { settings: { properties: Record<string, unknown> } } } = JSON.parse(
    read('deploy', 'helm', 'countinghouse', 'values.schema.json'),
  )
  const taken = Object.keys(schema.properties.settings.properties)
  const withoutTelemetry = (names: readonly string[]) => names.filter((name) => !name.startsWith('OTEL_')).sort()
  expect(withoutTelemetry(taken)).toEqual(withoutTelemetry(wanted))
  const guide = read('docs', 'guides', 'monitoring.md')
  expect(taken.filter((name) => name.startsWith('OTEL_') && !guide.includes(`\`${name}\``))).toEqual([])
})

it('the guide names every variable of OpenTelemetry that is read', () => {
  const code = read('src', 'process', 'settings', 'telemetry-settings.ts')
  const known = [...code.matchAll(/\bread\(\s*'(OTEL_[A-Z_]+)'/g)].map(([, name = '']) => name)
  expect(known.length).toBeGreaterThan(6)
  const guide = read('docs', 'guides', 'monitoring.md')
  expect(known.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
})
