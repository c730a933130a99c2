import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/process/settings/config.ts'

const CONTAINER = resolve(import.meta.dirname, '..', '..', 'deploy', 'container')
const read = (name: string) => readFileSync(join(CONTAINER, name), 'utf8')

const Service = Type.Object({
  command: Type.Optional(Type.Array(Type.String())),
  read_only: Type.Optional(Type.Boolean()),
  cap_drop: Type.Optional(Type.Array(Type.String())),
  healthcheck: Type.Optional(Type.Object({ test: Type.String() })),
  environment: Type.Optional(Type.Record(Type.String(), Type.String())),
})
const { services } = Parse(Type.Object({ services: Type.Record(Type.String(), Service) }), parse(read('compose.yaml'), { merge: true }))

/** Values for `.env` in this test. */
const FILLED: Record<string, string> = {
  BASE_URL: 'https://data.example.com',
  POSTGRES_PASSWORD: 'a-password',
  POSTGRES_ADMIN_PASSWORD: 'another-password',
  SEED_EMAIL: 'ann@example.com',
  SEED_PASSWORD: 'harbour-violet-teapot-91',
  METRICS_TOKEN: 'a-token-of-this-test',
  SMTP_URL: '',
  MAIL_FROM: '',
  INSTANCE_NAME: 'Maple Lending',
  BACKUP_PASSPHRASE: 'passphrase of this test',
}

it('the example of .env names every variable of the compose file', () => {
  const wanted = [...read('compose.yaml').matchAll(/\$\{([A-Z_]+)[:}]/g)].map(([, name = '']) => name)
  const named = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name)
  expect(named.sort()).toEqual([...new Set(wanted)].sort())
})

it.each(['api', 'worker'])('the %s of the compose file has settings that the service accepts, and no privileges', (role) => {
  const { command = [], environment = {}, ...service } = services[role] ?? {}
  const image = Object.fromEntries(
    [...read('Dockerfile').matchAll(/\b([A-Z_]+)=([^\s\\]+)/g)].map(([, name = '', value = '']) => [name, value]),
  )
  const env = Object.entries(environment).map(([name, value]) => [
    name,
    value.replace(/\$\{([A-Z_]+)[^}]*\}/g, (_all, filled) => FILLED[filled] ?? '?'),
  ])
  const config = readConfig({ ...image, ...Object.fromEntries(env) }, command.slice(1))
  expect([config.role, config.environment, config.doubts, config.host]).toEqual([role, 'production', [], '0.0.0.0'])
  expect([service.read_only, service.cap_drop]).toEqual([true, ['ALL']])
})
