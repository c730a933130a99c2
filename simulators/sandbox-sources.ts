import { SANDBOX_KEYS } from './bank-api/data/keys.ts'
import { sandboxSigningKey } from './fdx/data/sandbox-client.ts'
import type { Simulator, SimulatorOptions } from './simulator.ts'

/** What a source's connector needs to be served by its simulator. */
export interface SandboxSource {
  /** Its code is loaded at the first request: a source that nobody tries costs nothing. */
  load(): Promise<(options: SimulatorOptions) => Simulator>
  app: Record<string, string>
  /** Names of the source's addresses; all lead to the simulator. */
  hosts: readonly string[]
  /** What its owners type into the form, for sources that have one. */
  example?(url: string): Record<string, string>
}

/** The clients that the sources with OAuth know: the operator's, and one for an instance that tries keys of its own. Others are refused. */
const CLIENTS = { 'sandbox-client': 'sandbox-secret', 'sandbox-own-client': 'sandbox-own-secret' }

const MX_KEYS = { clientId: 'sandbox-client', apiKey: 'sandbox-key' }

const PLAID_KEYS = { clientId: 'sandbox-client', secret: 'sandbox-secret' }

const FINICITY_KEYS = { appKey: 'sandbox-app-key', partnerId: 'sandbox-partner', partnerSecret: 'sandbox-secret' }

const YODLEE_KEYS = { clientId: 'sandbox-client', secret: 'sandbox-secret' }

const FLINKS_KEYS = { customerId: 'sandbox-customer', secretKey: 'sandbox-secret' }

/** In the order of their ports: a new one comes last, so that addresses typed into forms before stay right. */
export const SANDBOX_SOURCES: Record<string, SandboxSource> = {
  quickbooks: {
    load: () =>
      import('./quickbooks/index.ts').then((module) => (options) => module.createQuickbooksSimulator({ ...options, clients: CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret', webhookVerifierToken: 'sandbox-verifier-token' },
    hosts: ['authorize', 'token', 'revoke', 'api'],
  },
  xero: {
    load: () => import('./xero/index.ts').then((module) => (options) => module.createXeroSimulator({ ...options, clients: CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret', journals: 'yes', webhookKey: 'sandbox-webhook-key' },
    hosts: ['authorize', 'token', 'api'],
  },
  freshbooks: {
    load: () =>
      import('./freshbooks/index.ts').then((module) => (options) => module.createFreshbooksSimulator({ ...options, clients: CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['authorize', 'api'],
  },
  sage: {
    load: () => import('./sage/index.ts').then((module) => (options) => module.createSageSimulator({ ...options, clients: CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['authorize', 'token', 'api'],
  },
  zoho: {
    load: () => import('./zoho/index.ts').then((module) => (options) => module.createZohoSimulator({ ...options, clients: CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: [
      'accounts',
      'api',
      ...['Ca', 'Eu', 'Uk', 'In', 'Au', 'Jp', 'Sa', 'Cn'].flatMap((centre) => [`accounts${centre}`, `api${centre}`]),
    ],
  },
  wave: {
    load: () => import('./wave/index.ts').then((module) => (options) => module.createWaveSimulator({ ...options, clients: CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['oauth', 'api'],
  },
  freeagent: {
    load: () =>
      import('./freeagent/index.ts').then((module) => (options) => module.createFreeagentSimulator({ ...options, clients: CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['api'],
  },
  myob: {
    load: () => import('./myob/index.ts').then((module) => (options) => module.createMyobSimulator({ ...options, clients: CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['secure', 'api'],
  },
  'business-central': {
    load: () =>
      import('./business-central/index.ts').then(
        (module) => (options) => module.createBusinessCentralSimulator({ ...options, clients: CLIENTS }),
      ),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['login', 'api'],
  },
  netsuite: {
    load: () =>
      import('./netsuite/index.ts').then(
        (module) => (options) =>
          module.createNetsuiteSimulator({ ...options, clients: { 'sandbox-client': null, 'sandbox-own-client': null } }),
      ),
    // Without a secret: a public client, whose refresh tokens rotate.
    app: { clientId: 'sandbox-client' },
    hosts: ['authorize', 'accountLogin', 'account'],
  },
  // Owners type the address of these themselves; what to type stands in the simulator's README.
  odoo: {
    load: () => import('./odoo/index.ts').then((module) => module.createOdooSimulator),
    app: {},
    hosts: [],
    example: (url) => ({ address: url, database: 'sandbox', user: 'priya@bowriverdental.example', apiKey: 'sandbox-key-priya-2c80d5e9' }),
  },
  erpnext: {
    load: () => import('./erpnext/index.ts').then((module) => module.createErpnextSimulator),
    app: {},
    hosts: [],
    example: (url) => ({ address: url, apiKey: '2c80d5e9a4471b3', apiSecret: 'sandbox-secret-noor' }),
  },
  fineract: {
    load: () => import('./fineract/index.ts').then((module) => module.createFineractSimulator),
    app: {},
    hosts: [],
    example: (url) => ({ address: url, tenant: 'default', clientId: '1', user: 'lecture', password: 'sandbox-password-lecture' }),
  },
  mx: {
    load: () => import('./mx/index.ts').then((module) => (options) => module.createMxSimulator({ ...options, keys: MX_KEYS })),
    app: MX_KEYS,
    hosts: ['api'],
  },
  finicity: {
    load: () =>
      import('./finicity/index.ts').then((module) => (options) => module.createFinicitySimulator({ ...options, keys: FINICITY_KEYS })),
    app: {
      ...FINICITY_KEYS,
      customerType: 'testing',
      txPush: 'yes',
    },
    hosts: ['api'],
  },
  mambu: {
    load: () => import('./mambu/index.ts').then((module) => module.createMambuSimulator),
    app: {},
    hosts: [],
    example: (url) => ({ address: url, apiKey: 'sandbox-apikey-lecture', holder: 'MTL-0042' }),
  },
  'fdx-caisse-du-confluent': {
    load: () => import('./fdx/index.ts').then((module) => module.createConfluentSimulator),
    app: { clientId: 'sandbox-client', signingKey: JSON.stringify(sandboxSigningKey()) },
    hosts: ['issuer', 'api'],
  },
  'fdx-ohio-valley': {
    load: () => import('./fdx/index.ts').then((module) => module.createOhioSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['issuer', 'api'],
  },
  akoya: {
    load: () => import('./fdx/index.ts').then((module) => module.createAkoyaSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret', connectors: 'mikomo=Mikomo Bank; erie=Erie Lakeshore Bank' },
    hosts: ['issuer', 'api'],
  },
  'flinks-outbound': {
    load: () => import('./fdx/index.ts').then((module) => module.createFlinksOutboundSimulator),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['issuer', 'api', 'directory'],
  },
  helix: {
    load: () => import('./helix/index.ts').then((module) => module.createHelixSimulator),
    app: {},
    hosts: [],
    example: (url) => ({ address: url, apiKey: 'sandbox-key-lecture', secret: 'sandbox-secret-lecture', customerId: '1021' }),
  },
  simplefin: {
    load: () => import('./simplefin/index.ts').then((module) => module.createSimplefinSimulator),
    app: {},
    hosts: ['bridge'],
    // The demo token, which works more than once; loading the simulator for its text alone would cost each start.
    example: (url) => ({ token: Buffer.from(`${url}/simplefin/claim/demo`).toString('base64') }),
  },
  flinks: {
    load: () => import('./flinks/index.ts').then((module) => (options) => module.createFlinksSimulator({ ...options, keys: FLINKS_KEYS })),
    app: { ...FLINKS_KEYS, webhookKey: 'sandbox-webhook-key', demo: 'yes' },
    hosts: ['api', 'connect'],
  },
  yodlee: {
    load: () => import('./yodlee/index.ts').then((module) => (options) => module.createYodleeSimulator({ ...options, keys: YODLEE_KEYS })),
    app: { ...YODLEE_KEYS, adminLoginName: 'sandbox-admin' },
    hosts: ['api', 'fastlink', 'script'],
  },
  plaid: {
    load: () => import('./plaid/index.ts').then((module) => (options) => module.createPlaidSimulator({ ...options, keys: PLAID_KEYS })),
    app: PLAID_KEYS,
    hosts: ['api'],
  },
  stripe: {
    load: () => import('./stripe/index.ts').then((module) => module.createStripeSimulator),
    app: { secretKey: 'sk_test_sandbox', publishableKey: 'pk_test_sandbox', webhookSecret: 'sandbox-webhook-secret' },
    hosts: ['api', 'js'],
  },
  teller: {
    load: () => import('./teller/index.ts').then((module) => module.createTellerSimulator),
    // Without a certificate, as Teller's own sandbox.
    app: {
      applicationId: 'app_sandbox',
      environment: 'sandbox',
      tokenSigningKey: 'v1NFptPDEtT/w2TPRjq7N8d2EyDhpkHK1Pni9ij+BBk=',
      webhookSecret: 'sandbox-webhook-secret',
    },
    hosts: ['api', 'connect', 'site'],
  },
  banno: {
    load: () => import('./banno/index.ts').then((module) => (options) => module.createBannoSimulator({ ...options, clients: CLIENTS })),
    app: { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' },
    hosts: ['bank'],
  },
  'bank-api-harbourline': {
    load: () =>
      import('./bank-api/index.ts').then((module) => (options: SimulatorOptions) => module.createBankApiSimulator('harbourline', options)),
    app: SANDBOX_KEYS.harbourline,
    hosts: ['token', 'api'],
    example: () => ({ customerId: '100245', postalCode: 'G1R 2B5', registration: '1147-220-981' }),
  },
  'bank-api-peakfield': {
    load: () =>
      import('./bank-api/index.ts').then((module) => (options: SimulatorOptions) => module.createBankApiSimulator('peakfield', options)),
    app: SANDBOX_KEYS.peakfield,
    hosts: ['token', 'api'],
    example: () => ({ memberNumber: '100245', passcode: 'érable 42' }),
  },
  'bank-api-granite': {
    load: () =>
      import('./bank-api/index.ts').then((module) => (options: SimulatorOptions) => module.createBankApiSimulator('granite', options)),
    app: SANDBOX_KEYS.granite,
    hosts: ['token', 'api'],
    example: () => ({ partyId: '100245', accessCode: 'érable 42' }),
  },
  hledger: {
    load: () => import('./hledger/index.ts').then((module) => module.createHledgerSimulator),
    app: {},
    hosts: [],
    example: (url) => ({ address: url, user: 'noemie', password: 'sandbox-password-noemie' }),
  },
  tryton: {
    load: () => import('./tryton/index.ts').then((module) => module.createTrytonSimulator),
    app: {},
    hosts: [],
    example: (url) => ({ address: url, database: 'sandbox', user: 'mireille', password: 'sandbox-password-mireille' }),
  },
}
