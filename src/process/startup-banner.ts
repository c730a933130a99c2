import { SAMPLE_SERVICES } from './sample-connections.ts'
import type { Seeded } from './seed.ts'
import type { Config } from './settings/config.ts'

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
    ...(seeded.loginFile === null ? [] : [`  Kept in     ${seeded.loginFile}`]),
    '',
  ]
  if (seeded.loginFile && seeded.companyId)
    lines.push('Try it:', '', ...curlLines(baseUrl, seeded.loginFile, seeded.companyId, seeded.hasBooks), '')
  if (link) lines.push('Connect QuickBooks as the business owner would: open', '', `  ${link}`, '')
  return lines.join('\n')
}

/** Lines for a POSIX shell; the login file keeps the password off the screen and out of the shell's history. */
function curlLines(baseUrl: string, loginFile: string, companyId: string, hasBooks: boolean): string[] {
  const api = `${baseUrl}/admin/api/v1`
  const bearer = `-H "authorization: Bearer $TOKEN"`
  return [
    `  TOKEN=$(curl -s ${api}/auth/login -H 'content-type: application/json' -d ${quoted(`@${loginFile}`)} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
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
