import { join } from 'node:path'
import { toServiceId } from '../model/catalogue.ts'
import { urlsOf } from '../store/db/connection/database-url.ts'
import { SAMPLE_SERVICES } from './sandbox/sample-connections.ts'
import type { Seeded } from './seed.ts'
import type { Config } from './settings/config.ts'

const COMMAND = join(import.meta.dirname, '..', '..', 'bin', 'countinghouse.js')

/** Services of the lines to try: one that the sample company is not connected to, and one with a directory of banks. */
const TO_CONNECT = toServiceId('quickbooks')
const AGGREGATOR = toServiceId('plaid')

export interface StartupBannerFacts {
  config: Config
  seeded: Seeded
  /** Connection link to open, in the sandbox. */
  link: string | null
  simulators: readonly { key: string; url: string }[]
}

/** Startup banner: URLs, login, and commands to try. Contains the password only if this start generated it. */
export function startupBanner({ config, seeded, link, simulators }: StartupBannerFacts): string {
  const { baseUrl } = config
  const lines = [
    '',
    'Countinghouse is ready.',
    '',
    `  Portal      ${baseUrl}/portal/`,
    `  API         ${baseUrl}/admin/api/v1`,
    `  Docs        ${baseUrl}/docs/`,
    `  OpenAPI     ${baseUrl}/admin/api/openapi.json`,
    `  Health      ${baseUrl}/readyz`,
    ...simulators.map(({ key, url }) => `  Simulator   ${url}  (${key})`),
    '',
    `  Login       ${seeded.email}`,
    ...(seeded.newPassword === null ? [] : [`  Password    ${seeded.newPassword}  (shown this once)`]),
    ...(seeded.loginFile === null ? [] : [`  Kept in     ${seeded.loginFile}  (until the first sign-in)`]),
    '',
  ]
  if (seeded.newPassword !== null && seeded.loginFile !== null) lines.push(...toLoginLines(baseUrl, seeded.loginFile))
  if (seeded.companyId) lines.push(...toTryLines(config, seeded.companyId, seeded.hasBooks))
  if (link) lines.push('Connect QuickBooks as the business owner would: open', '', `  ${link}`, '')
  return lines.join('\n')
}

/** The password is read from its file, so that it is not in the shell’s history. */
function toLoginLines(baseUrl: string, loginFile: string): string[] {
  const json = `-H 'content-type: application/json' -d @${quoted(loginFile)}`
  return [
    'Log in as a program would (once, because the first sign-in deletes the file):',
    '',
    `  curl -s ${baseUrl}/admin/api/v1/auth/login ${json}`,
    '',
  ]
}

/** Lines for a POSIX shell, which work at every start. No password shows on the screen or in the shell's history. */
function toTryLines({ baseUrl, dataDir, databaseUrl }: Config, companyId: string, hasBooks: boolean): string[] {
  const url = databaseUrl?.reveal() ?? null
  const isSecret = url !== null && hasPassword(url)
  const settings = { BASE_URL: baseUrl, DATA_DIR: dataDir, ...(url === null || isSecret ? {} : { DATABASE_URL: url }) }
  const given = Object.entries(settings).map(([name, value]) => `${name}=${quoted(value)}`)
  const token = `  TOKEN=$(${given.join(' ')} node ${quoted(COMMAND)} token)`
  return [
    isSecret ? 'Try it, in a shell with the same DATABASE_URL:' : 'Try it:',
    '',
    token,
    ...curlLines(baseUrl, companyId, hasBooks),
    '',
  ]
}

/** For a URL that the settings have accepted: one of a socket has no password. */
function hasPassword(url: string): boolean {
  const parsed = URL.parse(urlsOf(url)[0] ?? '')
  return parsed !== null && (parsed.password !== '' || parsed.searchParams.has('password'))
}

/** Lines for a POSIX shell. */
function curlLines(baseUrl: string, companyId: string, hasBooks: boolean): string[] {
  const api = `${baseUrl}/admin/api/v1`
  const bearer = `-H "authorization: Bearer $TOKEN"`
  return [
    `  curl -s ${api}/normalized-data/companies ${bearer}`,
    `  curl -s ${api}/normalized-data/services ${bearer}`,
    `  curl -s ${api}/normalized-data/company/${companyId}/data-connection/statuses ${bearer}`,
    `  curl -s ${api}/normalized-data/${companyId}/banking/accounts/${SAMPLE_SERVICES.bank} ${bearer}`,
    `  curl -s ${api}/normalized-data/company/${companyId}/data-connection/${TO_CONNECT}/link ${bearer}`,
    `  curl -s '${api}/normalized-data/services/${AGGREGATOR}/institutions?search=caisse' ${bearer}`,
    ...(hasBooks ? [`  curl -s ${api}/normalized-data/${companyId}/accountancy/accounts/${SAMPLE_SERVICES.books} ${bearer}`] : []),
  ]
}

/** Shell-quoted text: one word, whatever characters a path has. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
