import { sign } from 'node:crypto'
import type { Call } from '../../kit/bank-simulator.ts'
import type { Reply } from '../../kit/http/response.ts'
import { escapeXml } from '../../kit/pages/escape-xml.ts'
import { hashHex } from '../../kit/random.ts'
import type { Context } from '../context.ts'
import { firstDay, openAccounts } from '../data/accounts.ts'
import { SIGNING_KEY } from '../data/signing-key.ts'
import type { Enrollment } from '../state.ts'
import { connectScript } from './script.ts'

/** Parameters passed from page to page. */
const CARRIED = ['application_id', 'environment', 'opener', 'nonce', 'institution', 'enrollment_id', 'username'] as const

/**
 * Logins that the simulated banks accept, as in Teller's sandbox; each belongs to another business.
 * Source: https://teller.io/docs/guides/sandbox
 */
const LOGIN = { usernames: ['username', 'another'], password: 'password' }

/** The script and the pages of Teller Connect; null for any other path. */
export function answerConnect(context: Context, call: Call): Reply | null {
  if (call.path === '/connect/connect.js') return { status: 200, type: 'text/javascript', body: connectScript(context.bank.baseUrl()) }
  const [, step] = /^\/connect\/window(?:\/([a-z]+))?$/.exec(call.path) ?? []
  if (!call.path.startsWith('/connect/window')) return null
  const fields = call.method === 'POST' ? new URLSearchParams(call.body) : call.query
  const institution = context.institutions.find(({ id }) => id === institutionIn(context, fields))
  if (step === 'exit') return handOver(fields, { kind: 'exit' })
  if (!institution) return choosePage(context, fields)
  fields.set('institution', institution.id)
  if (step === 'accounts') {
    const isRight = LOGIN.usernames.includes(fields.get('username') ?? '') && fields.get('password') === LOGIN.password
    return isRight ? accountsPage(context, fields, institution) : loginPage(fields, institution.name, true)
  }
  return step === 'finish' ? finish(context, fields, institution) : loginPage(fields, institution.name, false)
}

function institutionIn({ bank }: Context, fields: URLSearchParams): string {
  const repaired = bank.state.enrollments.find(({ id }) => id === fields.get('enrollment_id'))
  return repaired?.institution.id ?? fields.get('institution') ?? ''
}

function choosePage({ institutions }: Context, fields: URLSearchParams): Reply {
  const options = institutions.slice(0, 30).map(({ id, name }) => `<option value="${id}">${escapeXml(name)}</option>`)
  return page(
    'Select your bank',
    `<form action="/connect/window" method="post">${hidden(fields, ['institution'])}
<p><label for="institution">Bank</label><br><select id="institution" name="institution">${options.join('')}</select></p><p><button>Continue</button></p></form>`,
    fields,
  )
}

function loginPage(fields: URLSearchParams, bank: string, isWrong: boolean): Reply {
  return page(
    `Sign in to ${bank}`,
    `${isWrong ? '<p role="alert">These credentials were not accepted.</p>' : ''}<form action="/connect/window/accounts" method="post">${hidden(fields, ['username'])}
<p><label for="username">Username</label><br><input id="username" name="username" autocomplete="off" value="username"></p>
<p><label for="password">Password</label><br><input id="password" name="password" type="password" autocomplete="off" value="password"></p>
<p>Here: username, password</p><p><button>Sign in</button></p></form>`,
    fields,
  )
}

function accountsPage(context: Context, fields: URLSearchParams, institution: { id: string; name: string }): Reply {
  const known = context.bank.state.enrollments.find(({ id }) => id === fields.get('enrollment_id'))
  const accounts = known?.accounts ?? accountsFor(context, institution.id, fields.get('username') ?? '')
  const rows = accounts.slice(0, 20).map(({ id, name, number }) => {
    return `<p><label><input type="checkbox" name="account" value="${id}" checked> ${escapeXml(name)} …${number.slice(-4)}</label></p>`
  })
  const more = accounts.length > 20 ? `<p>and ${accounts.length - 20} more</p>` : ''
  return page(
    'Share accounts',
    `<form action="/connect/window/finish" method="post">${hidden(fields)}${rows.join('')}${more}<p><button>Share</button></p></form>`,
    fields,
  )
}

function accountsFor({ seed, bank, giant }: Context, institutionId: string, username: string) {
  return openAccounts(
    seed,
    `${institutionId} ${username}`,
    bank.state.enrollments.length + 1,
    institutionId === 'giant_holdings_bank' ? giant : null,
  )
}

function finish(context: Context, fields: URLSearchParams, institution: { id: string; name: string }): Reply {
  const { bank } = context
  const known = bank.state.enrollments.find(({ id, isDeleted }) => id === fields.get('enrollment_id') && !isDeleted)
  const enrollment = known ?? enroll(context, fields, institution)
  enrollment.disconnected = null
  bank.save()
  const parts = [fields.get('nonce') ?? '', enrollment.accessToken, enrollment.userId, enrollment.id, fields.get('environment') ?? '']
  return handOver(fields, {
    kind: 'success',
    enrollment: {
      accessToken: enrollment.accessToken,
      user: { id: enrollment.userId },
      enrollment: { id: enrollment.id, institution: { name: institution.name } },
      signatures: [sign(null, Buffer.from(parts.join('.')), SIGNING_KEY).toString('base64')],
    },
  })
}

/** A separate login for each enrollment; all accounts of the giant are shared, whatever the page showed. */
function enroll(context: Context, fields: URLSearchParams, { id, name }: { id: string; name: string }): Enrollment {
  const { bank, seed } = context
  const number = bank.state.enrollments.length + 1
  const accounts = accountsFor(context, id, fields.get('username') ?? '')
  const shared = fields.getAll('account')
  const enrollment: Enrollment = {
    id: `enr_${hashHex(20, seed, number, 'enrollment')}`,
    number,
    accessToken: `token_${hashHex(24, seed, number, 'token')}`,
    userId: `usr_${hashHex(20, seed, number, 'user')}`,
    institution: { id, name },
    since: firstDay(bank.now()),
    accounts: accounts.length > 20 ? accounts : accounts.filter((account) => shared.includes(account.id)),
    disconnected: null,
    isDeleted: false,
  }
  bank.state.enrollments.push(enrollment)
  return enrollment
}

/** A page that posts a message to the opener's origin only. */
function handOver(fields: URLSearchParams, news: unknown): Reply {
  const script = `parent.postMessage(${JSON.stringify(news).replaceAll('<', '\\u003c')}, ${JSON.stringify(fields.get('opener') ?? '').replaceAll('<', '\\u003c')})`
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    body: `<!doctype html><html lang="en"><title>Teller Connect</title><script>${script}</script>`,
  }
}

function page(title: string, body: string, fields: URLSearchParams): Reply {
  const exit = `<form action="/connect/window/exit" method="post">${hidden(fields)}<p><button id="exit">Close</button></p></form>`
  const head = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeXml(title)}</title>`
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    body: `${head}<body style="font-family: sans-serif; margin: 2rem"><h1>${escapeXml(title)}</h1>${body}${exit}`,
  }
}

function hidden(fields: URLSearchParams, without: readonly string[] = []): string {
  const kept = CARRIED.filter((name) => fields.has(name) && !without.includes(name))
  return kept.map((name) => `<input type="hidden" name="${name}" value="${escapeXml(fields.get(name) ?? '')}">`).join('')
}
