import { randomUUID } from 'node:crypto'
import { Check } from 'typebox/value'
import type { Json } from '../../model/values/json.ts'
import type { Locale, LocalizedText } from '../../model/values/text.ts'
import { InputRefused, type Widget, type WidgetAuthorization } from '../contract/authorization.ts'
import { type Grant, type Kit, SourceError } from '../contract/contract.ts'
import { isJsonObject } from '../toolkit/http/answers.ts'
import { askStripe } from './request.ts'
import { readSecret, type StripeSecret } from './secret.ts'
import { glue } from './widget.ts'
import { CreatedCustomer, KnownAccount, SessionAnswer } from './wire.ts'

const LOCALES: Record<Locale, string> = { en: 'en', 'fr-CA': 'fr-CA' }
const SESSIONS = '/v1/financial_connections/sessions'

const NOTHING_LINKED: LocalizedText = {
  en: 'No bank was connected, because no account was linked at Stripe. You can try again.',
  'fr-CA': 'Aucune institution n’a été connectée, car aucun compte n’a été relié chez Stripe. Vous pouvez réessayer.',
}

/**
 * Financial Connections session in Stripe's window on our page. Each connection has its own customer, so accounts
 * linked for one connection are never listed for another; a reconnect links the same bank again for the same customer.
 */
export const stripeSession: WidgetAuthorization = {
  step: 'widget',

  async start(kit, { companyId, locale, reconnect }) {
    const customer = reconnect ? readSecret(reconnect).customer : await createCustomer(kit, companyId)
    const session = await askStripe(
      kit,
      {
        method: 'POST',
        path: SESSIONS,
        parameters: {
          'account_holder[type]': 'customer',
          'account_holder[customer]': customer,
          permissions: ['balances', 'transactions'],
          prefetch: ['balances', 'transactions'],
          'filters[country]': 'US',
        },
      },
      SessionAnswer,
    )
    if (!session.client_secret) throw new SourceError('badData', 'the session has no client secret')
    return { widget: toWidget(kit, session.client_secret, locale), memo: { sessionId: session.id, customer } }
  },

  async complete(kit, { memo }) {
    const { sessionId, customer } = readMemo(memo)
    const session = await askStripe(kit, { path: `${SESSIONS}/${encodeURIComponent(sessionId)}` }, SessionAnswer)
    if (session.account_holder?.customer !== customer) throw new SourceError('badData', 'the session belongs to another customer')
    const linked = session.accounts.data.filter((account) => Check(KnownAccount, account))
    if (linked.length === 0) throw new InputRefused(NOTHING_LINKED)
    return [...new Set(linked.map((account) => account.institution_name))].map((name) => toGrant(customer, name))
  },
}

/** Customer without a name: Stripe receives only our id of the business. */
async function createCustomer(kit: Kit, companyId: string): Promise<string> {
  const parameters = { description: 'Countinghouse', 'metadata[company]': companyId }
  const created = await askStripe(kit, { method: 'POST', path: '/v1/customers', parameters, idempotencyKey: randomUUID() }, CreatedCustomer)
  return created.id
}

function toWidget(kit: Kit, clientSecret: string, locale: Locale): Widget {
  const own = [kit.hosts.js ?? '', kit.hosts.api ?? ''].map((host) => new URL(host).origin)
  // Source: https://docs.stripe.com/security/guide#content-security-policy
  const further = ['https://hooks.stripe.com', 'https://*.stripe.com', 'https://*.link.com', 'https://*.js.stripe.com']
  return {
    script: `${kit.hosts.js ?? ''}/v3/`,
    origins: [...new Set([...own, ...(own.includes('https://js.stripe.com') ? further : [])])],
    glue,
    params: { publishableKey: kit.app.publishableKey ?? '', clientSecret, locale: LOCALES[locale] },
  }
}

/** Grant whose reference is the institution's name, since Stripe has no institution ids. */
function toGrant(customer: string, institutionName: string): Grant {
  const entity = { id: toInstitutionId(institutionName), name: institutionName }
  const secret: StripeSecret = { customer, institutionName }
  return { credentials: { secret: { ...secret }, expiresAt: null }, entity, institution: entity, reference: customer }
}

function toInstitutionId(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return plain === '' ? encodeURIComponent(name) : plain
}

function readMemo(memo: Json): { sessionId: string; customer: string } {
  if (isJsonObject(memo) && typeof memo.sessionId === 'string' && typeof memo.customer === 'string')
    return { sessionId: memo.sessionId, customer: memo.customer }
  throw new SourceError('badData', 'the memo of this authorization holds no session')
}
