import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody } from '../kit/http/request.ts'
import { LOGINS, toOpaqueId } from './book.ts'
import { sendPage } from './exchange.ts'
import { consentPage, loginPage, type PageOptions } from './pages.ts'
import { type TextKey, toLanguage } from './texts.ts'
import type { World } from './world.ts'

const PASSWORD = 'sandbox'
/** How those who ask call themselves at these banks. */
const CLIENT_NAME = 'Countinghouse'

type Interaction = Awaited<ReturnType<ReturnType<World['provider']>['interactionDetails']>>

/** The owner's own pages: sign in, choose accounts, or leave. `step` is the last part of the address of a form. */
export async function serveInteraction(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  step: string | null,
): Promise<void> {
  const provider = world.provider()
  const interaction = await provider.interactionDetails(request, response)
  if (step === null) return show(world, response, interaction, null)
  const form = new URLSearchParams(await readBody(request))
  if (step === 'cancel') {
    const refusal = { error: 'access_denied', error_description: 'the owner declined' }
    return await provider.interactionFinished(request, response, refusal, { mergeWithLastSubmission: false })
  }
  if (step === 'login') {
    const subject = signIn(world, interaction, form)
    if (subject === null) return show(world, response, interaction, 'credentialsProblem')
    return await provider.interactionFinished(request, response, { login: { accountId: subject } }, { mergeWithLastSubmission: false })
  }
  const grantId = await agree(world, interaction, form.getAll('account'))
  if (grantId === null) return show(world, response, interaction, 'accountsProblem')
  await provider.interactionFinished(request, response, { consent: { grantId } }, { mergeWithLastSubmission: true })
}

function show(world: World, response: ServerResponse, interaction: Interaction, problem: TextKey | null): void {
  const options: PageOptions = {
    language: toLanguage(interaction.params.ui_locales),
    bank: bankOf(world, interaction),
    action: `${world.baseUrl()}/interaction/${interaction.uid}`,
    problem,
  }
  const subject = world.subject(interaction.session?.accountId ?? '')
  const html =
    interaction.prompt.name === 'login' || subject === null
      ? loginPage(options)
      : consentPage({
          ...options,
          client: CLIENT_NAME,
          accounts: world.accountsOf(subject.login, subject.institution),
          days: world.style.refreshDays,
        })
  sendPage(response, html)
}

/** Null when the login is wrong. */
function signIn(world: World, interaction: Interaction, form: URLSearchParams): string | null {
  const login = form.get('username') ?? ''
  if (!LOGINS.some((known) => known === login) || form.get('password') !== PASSWORD) return null
  const institution = institutionOf(world, interaction)
  const subject = toOpaqueId('sub', `${world.style.key}/${institution ?? ''}/${login}`)
  const known = world.state.subjects[subject]
  world.state.subjects[subject] = known ?? { login, institution, shared: [], isRevoked: true }
  world.save()
  return subject
}

/** The grant; null when no account was chosen though there are some. */
async function agree(world: World, interaction: Interaction, chosen: readonly string[]): Promise<string | null> {
  const id = interaction.session?.accountId ?? ''
  const subject = world.subject(id)
  if (subject === null) return null
  const offered = world.accountsOf(subject.login, subject.institution).map((account) => account.id)
  subject.shared = offered.filter((account) => chosen.includes(account))
  if (subject.shared.length === 0 && offered.length > 0) return null
  subject.isRevoked = false
  world.save()
  const provider = world.provider()
  const grant = new provider.Grant({ accountId: id, clientId: String(interaction.params.client_id) })
  const { missingResourceScopes } = interaction.prompt.details
  grant.addOIDCScope(String(interaction.params.scope ?? ''))
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
    if (Array.isArray(scopes)) grant.addResourceScope(resource, scopes.join(' '))
  }
  return await grant.save()
}

function institutionOf({ style }: World, { params }: Interaction): string | null {
  return style.institutions === null ? null : String(params[style.institutions.parameter] ?? '')
}

function bankOf(world: World, interaction: Interaction): string {
  return world.style.institutions?.names[institutionOf(world, interaction) ?? ''] ?? world.style.name
}
