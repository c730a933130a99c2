import { join } from 'node:path'
import { SAMPLE_SERVICES } from './sample-connections.ts'
import type { Seeded } from './seed.ts'
import type { Config } from './settings/config.ts'

const COMMAND = join(import.meta.dirname, '..', '..', 'bin', 'countinghouse.js')

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
    `  Reference   ${baseUrl}/admin/api/docs`,
    `  OpenAPI     ${baseUrl}/admin/api/openapi.json`,
    `  Health      ${baseUrl}/readyz`,
    ...simulators.map(({ key, url }) => `  Simulator   ${url}  (${key})`),
    '',
    `  Login       ${seeded.email}`,
    ...(seeded.newPassword === null ? [] : [`  Password    ${seeded.newPassword}  (shown this once)`]),
    ...(seeded.loginFile === null ? [] : [`  Kept in     ${seeded.loginFile}  (until the first sign-in)`]),
    '',
  ]
  const tokenLine = toTokenLine(config, seeded)
  if (tokenLine && seeded.companyId) lines.push('Try it:', '', tokenLine, ...curlLines(baseUrl, seeded.companyId, seeded.hasBooks), '')
  if (link) lines.push('Connect QuickBooks as the business owner would: open', '', `  ${link}`, '')
  return lines.join('\n')
}

/**
 * Line for a POSIX shell that gets a token; no password shows on the screen or in the shell's history. Without an
 * embedded database it takes the login file, which is gone after the first login.
 */
function toTokenLine({ baseUrl, dataDir, databaseUrl }: Config, { loginFile }: Seeded): string | null {
  if (databaseUrl === null) return `  TOKEN=$(BASE_URL=${quoted(baseUrl)} DATA_DIR=${quoted(dataDir)} node ${quoted(COMMAND)} token)`
  if (loginFile === null) return null
  const login = `curl -s ${baseUrl}/admin/api/v1/auth/login -H 'content-type: application/json' -d ${quoted(`@${loginFile}`)}`
  return `  TOKEN=$(${login} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`
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
    ...(hasBooks ? [`  curl -s ${api}/normalized-data/${companyId}/accountancy/accounts/${SAMPLE_SERVICES.books} ${bearer}`] : []),
  ]
}

/** Shell-quoted text: one word, whatever characters a path has. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
