import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody } from '../../kit/http/request.ts'
import { type Reply, windowReply } from '../../kit/http/response.ts'
import { pageLanguage } from '../../kit/pages/page-language.ts'
import type { Context } from '../context.ts'
import { LOGINS, toOpaqueId } from '../data/accounts.ts'
import { consentPage, loginPage, type PageOptions } from './pages.ts'

const PASSWORD = 'sandbox'
/** Name of the client as shown by these banks. */
const CLIENT_NAME = 'Countinghouse'

type Interaction = Awaited<ReturnType<ReturnType<Context['provider']>['interactionDetails']>>

/** Pages for the owner: sign in, select accounts, or leave. `step` is the last path segment of a form's address. */
export async function serveInteraction(
  context: Context,
  request: IncomingMessage,
  response: ServerResponse,
  step: string | null,
): Promise<Reply | null> {
  const provider = context.provider()
  const interaction = await provider.interactionDetails(request, response)
  if (step === null) return show(context, interaction, null)
  const form = new URLSearchParams(await readBody(request))
  if (step === 'exit') {
    const refusal = { error: 'access_denied', error_description: 'the owner declined' }
    await provider.interactionFinished(request, response, refusal, { mergeWithLastSubmission: false })
    return null
  }
  if (step === 'login') {
    const subject = signIn(context, interaction, form)
    if (subject === null) return show(context, interaction, 'credentials')
    await provider.interactionFinished(request, response, { login: { accountId: subject } }, { mergeWithLastSubmission: false })
    return null
  }
  const grantId = await agree(context, interaction, form.getAll('account'))
  if (grantId === null) return show(context, interaction, 'accounts')
  await provider.interactionFinished(request, response, { consent: { grantId } }, { mergeWithLastSubmission: true })
  return null
}

function show(context: Context, interaction: Interaction, problem: PageOptions['problem']): Reply {
  const options: PageOptions = {
    language: pageLanguage(String(interaction.params.ui_locales ?? '')),
    bank: bankOf(context, interaction),
    action: `${context.baseUrl()}/interaction/${interaction.uid}`,
    problem,
  }
  const subject = context.subject(interaction.session?.accountId ?? '')
  const html =
    interaction.prompt.name === 'login' || subject === null
      ? loginPage(options)
      : consentPage({
          ...options,
          client: CLIENT_NAME,
          accounts: context.accountsOf(subject.login, subject.institution),
          days: context.style.refreshDays,
        })
  return windowReply(200, html)
}

/** Null if the login is wrong. */
function signIn(context: Context, interaction: Interaction, form: URLSearchParams): string | null {
  const login = form.get('username') ?? ''
  if (!LOGINS.some((known) => known === login) || form.get('password') !== PASSWORD) return null
  const institution = institutionOf(context, interaction)
  const subject = toOpaqueId('sub', `${context.style.key}/${institution ?? ''}/${login}`)
  const known = context.state.subjects[subject]
  context.state.subjects[subject] = known ?? { login, institution, shared: [], isRevoked: true }
  context.save()
  return subject
}

/** The grant; null if there are accounts and none was selected. */
async function agree(context: Context, interaction: Interaction, chosen: readonly string[]): Promise<string | null> {
  const id = interaction.session?.accountId ?? ''
  const subject = context.subject(id)
  if (subject === null) return null
  const offered = context.accountsOf(subject.login, subject.institution).map((account) => account.id)
  subject.shared = offered.filter((account) => chosen.includes(account))
  if (subject.shared.length === 0 && offered.length > 0) return null
  subject.isRevoked = false
  context.save()
  const provider = context.provider()
  const grant = new provider.Grant({ accountId: id, clientId: String(interaction.params.client_id) })
  const { missingResourceScopes } = interaction.prompt.details
  grant.addOIDCScope(String(interaction.params.scope ?? ''))
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
    if (Array.isArray(scopes)) grant.addResourceScope(resource, scopes.join(' '))
  }
  return await grant.save()
}

function institutionOf({ style }: Context, { params }: Interaction): string | null {
  return style.institutions === null ? null : String(params[style.institutions.parameter] ?? '')
}

function bankOf(context: Context, interaction: Interaction): string {
  return context.style.institutions?.names[institutionOf(context, interaction) ?? ''] ?? context.style.name
}
