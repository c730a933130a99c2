/** Types of the API, written by `npm run docs` from its OpenAPI document. Timestamps without an offset are UTC. */

export const ROLES = ['admin', 'developer', 'integration', 'viewer'] as const
export type Role = (typeof ROLES)[number]

export const SUBSCRIBABLE_EVENTS = [
  'RawData',
  'NormalizedData',
  'ReadyToUseData',
  'AccountsChanged',
  'TransactionsChanged',
  'AuditEntry',
] as const
export type SubscribableEvent = (typeof SUBSCRIBABLE_EVENTS)[number]

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export const RECEIVER_BEHAVIOURS = ['accept', 'fail', 'slow', 'gone'] as const
export type ReceiverBehaviour = (typeof RECEIVER_BEHAVIOURS)[number]

export const API_KEY_SCOPES = [
  'companies:read',
  'companies:write',
  'links:write',
  'connections:read',
  'connections:write',
  'data:read',
  'consents:read',
  'file-feeds:read',
  'file-feeds:write',
  'webhooks:read',
  'webhooks:write',
  'sources:read',
  'sources:write',
  'settings:read',
  'settings:write',
  'operations:read',
  'operations:write',
  'audit:read',
  'scim',
] as const
export type ApiKeyScope = (typeof API_KEY_SCOPES)[number]

export type StatusCode = 2 | 6 | 7 | 8 | 9 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 23 | 25 | 26 | 27

export type FaultCode =
  | 'accessWithdrawn'
  | 'consentExpired'
  | 'codeNeeded'
  | 'loginChanged'
  | 'otherEntity'
  | 'declined'
  | 'timedOut'
  | 'sourceLimited'
  | 'sourceUnavailable'
  | 'badData'
  | 'tooManySetAside'
  | 'deletionsHeldBack'
  | 'keysRefused'
  | 'internal'

export type Category = 'Accounting' | 'Banking'

export type AccountingAccount = {
  serviceId: string
  serviceName: string
  lastUpdatedOn: Timestamp
  id: string
  origId: string
  number: string
  name: string
  currency: string
  description: string
  classApp: string
  classSystem: 'ASSET' | 'LIABILITY' | 'EQUITY' | 'INCOME' | 'EXPENSE' | 'NON_POSTING' | 'UNKNOWN'
  typeApp: string
  typeSystem:
    | 'BANK'
    | 'ACCOUNTS_RECEIVABLE'
    | 'INVENTORY'
    | 'PREPAYMENT'
    | 'OTHER_CURRENT_ASSET'
    | 'FIXED_ASSET'
    | 'OTHER_ASSET'
    | 'ACCOUNTS_PAYABLE'
    | 'CREDIT_CARD'
    | 'TAX_LIABILITY'
    | 'OTHER_CURRENT_LIABILITY'
    | 'LONG_TERM_LIABILITY'
    | 'OTHER_LIABILITY'
    | 'EQUITY'
    | 'RETAINED_EARNINGS'
    | 'INCOME'
    | 'OTHER_INCOME'
    | 'COST_OF_GOODS_SOLD'
    | 'EXPENSE'
    | 'DEPRECIATION'
    | 'OTHER_EXPENSE'
    | 'OTHER'
  subTypeApp: string
  subTypeSystem: string
  statusApp: string
  statusSystem: 'ACTIVE' | 'ARCHIVED' | 'DELETED' | 'UNKNOWN'
}

export type AccountingTransaction = {
  serviceId: string
  serviceName: string
  lastUpdatedOn: Timestamp
  id: string
  origId: string
  entryId: string
  accountOrigId: string
  postedOn: string | null
  document: string
  description: string
  counterparty: string
  debit: number | null
  credit: number | null
  currency: string
  sourceType: string
  isDeleted: boolean
}

export type ApiKey = {
  id: string
  applicationId: string
  name: string
  prefix: string
  scopes: ApiKeyScope[]
  state: 'active' | 'expired' | 'revoked'
  createdBy: string
  createdOn: Timestamp
  expiresOn: string | null
  lastUsedOn: string | null
  revokedOn: string | null
  replacedBy: string | null
}

export type AuditEntry = {
  position: number
  recordedOn: Timestamp
  action: string
  actor: 'user' | 'key' | 'owner' | 'helper' | 'operator' | 'command' | 'job' | 'visitor' | null
  userId: string | null
  actorId: string | null
  network: string | null
  requestId: string | null
  subject: string | null
  before: Record<string, string | number | boolean | null> | null
  after: Record<string, string | number | boolean | null> | null
  withheld: string[]
  details: Record<string, string | number | boolean>
}

export type BankAccount = {
  serviceId: string
  serviceName: string
  lastUpdatedOn: Timestamp
  origId: string
  providerName: string
  accountName: string
  accountNumber: string
  accountStatusSystem: 'ACTIVE' | 'INACTIVE' | 'TO_BE_CLOSED' | 'CLOSED' | 'DELETED'
  userAccountClassification: 'BUSINESS' | 'PERSONAL' | null
  typeSystem: 'Cash' | 'CreditCards' | 'Loans' | 'Investments' | 'Insurance' | 'Other'
  subTypeSystem: string
  subTypeSystemDisplayName: string
  interestRate: number | null
  availableCredit: number | null
  dueDate: string | null
  maturityAmount: number | null
  maturityDate: string | null
  minimumAmountDue: number | null
  totalCreditLine: number | null
  originalLoanAmount: number | null
  lender: string | null
  amountDue: number | null
  principalBalance: number | null
  currency: string
  actualBalance: number | null
  actualBalanceDate: string | null
  sourceUpdatedDate: string | null
}

export type BankTransaction = {
  serviceId: string
  serviceName: string
  lastUpdatedOn: Timestamp
  id: string
  origId: string
  accountOrigId: string
  postedOn: string | null
  transactionOn: string | null
  amount: number
  currency: string
  description: string
  counterparty: string
  category: string
  isPending: boolean
  runningBalance: number | null
  isDeleted: boolean
}

export type BeginPasskeyLoginResponse = {
  options: PasskeyRequest | null
  hasApp: boolean
}

export type CaughtMail = {
  id: string
  on: Timestamp
  from: string
  to: string
  subject: string
  text: string
  page: string
}

export type Company = {
  id: string
  name: string
  industry: string
  fullAddress: string
  country: string
  city: string
  createdOn: Timestamp
  companyContactNumber: string
  externalId: string | null
  metadata: Record<string, string>
}

export type CompanyAccount = {
  id: string
  sessionId: string
  parentServiceName: string | null
  serviceId: string
  serviceName: string
  lastUpdatedOn: Timestamp
  origId: string
  providerName: string
  accountName: string
  accountNumber: string
  accountStatusSystem: 'ACTIVE' | 'INACTIVE' | 'TO_BE_CLOSED' | 'CLOSED' | 'DELETED'
  userAccountClassification: 'BUSINESS' | 'PERSONAL' | null
  typeSystem: 'Cash' | 'CreditCards' | 'Loans' | 'Investments' | 'Insurance' | 'Other'
  subTypeSystem: string
  subTypeSystemDisplayName: string
  interestRate: number | null
  availableCredit: number | null
  dueDate: string | null
  maturityAmount: number | null
  maturityDate: string | null
  minimumAmountDue: number | null
  totalCreditLine: number | null
  originalLoanAmount: number | null
  lender: string | null
  amountDue: number | null
  principalBalance: number | null
  currency: string
  actualBalance: number | null
  actualBalanceDate: string | null
  sourceUpdatedDate: string | null
  isCounted: boolean
  sameAs: {
    id: string
    serviceId: string
    serviceName: string
    parentServiceName: string | null
    reasons: SameAccountReason[]
  }[]
}

export type CompanyAccounts = {
  pageNumber: number
  pageSize: number
  count: number
  data: CompanyAccount[]
  totals: {
    currency: string
    accounts: number
    withoutBalance: number
    assets: number
    debts: number
  }[]
  banksHeldTwice: {
    bank: string
    connections: {
      sessionId: string
      serviceId: string
      serviceName: string
      parentServiceName: string | null
      connectedOn: Timestamp
    }[]
  }[]
}

export type Connection = {
  sessionId: string
  statusName: string
  statusCode: StatusCode
  serviceName: string
  serviceId: string
  parentServiceName: string | null
  categoryId: string
  category: Category
  createdOn: Timestamp
  updateScheduledOn: string | null
}

export type ConnectionDetail = {
  sessionId: string
  statusName: string
  statusCode: StatusCode
  serviceName: string
  serviceId: string
  parentServiceName: string | null
  categoryId: string
  category: Category
  createdOn: Timestamp
  updateScheduledOn: string | null
  entityName: string | null
  fault: string | null
  faultCode: FaultCode | null
  trouble: {
    code: FaultCode
    message: string
    on: Timestamp
    nextAttemptOn: Timestamp
  } | null
  nextReadOn: string | null
  lastPublishedOn: Timestamp | null
  linkOpenedOn: string | null
  consentExpiresOn: string | null
  timeline: {
    at: Timestamp
    fromStatusCode: StatusCode | null
    statusCode: StatusCode
    statusName: string
    detail: string
  }[]
  runs: {
    id: string
    reason: string
    state: string
    startedOn: Timestamp
    endedOn: Timestamp | null
    pages: number
    records: number
    changed: number
    deleted: number
    heldBack: number
    setAside: number
    reidentified: number
    unclear: number
    unmapped: {
      entity: string
      field: string
      word: string
      count: number
    }[]
    errorKind: string | null
    error: string | null
  }[]
  setAside: {
    entity: string
    origId: string
    reason: string
    on: Timestamp
  }[]
}

export type ConnectionSchedule = {
  everyMinutes: number | null
  setBy: 'connection' | 'service' | 'source'
  shortestMinutes: number
  isChangeable: boolean
  updateScheduledOn: Timestamp | null
}

export type Consent = {
  id: string
  companyId: string
  serviceId: string
  sessionId: string | null
  linkId: string
  purpose: string
  purposeVersion: number
  language: 'en' | 'fr'
  timeZone: string | null
  durationDays: number
  givenOn: Timestamp
  expiresOn: Timestamp
  endedOn: Timestamp | null
  endedHow: 'withdrawn' | 'expired' | 'disconnected' | 'replaced' | 'unused' | 'declined' | null
  textHash: string
  texts: {
    en: string[]
    fr: string[]
  }
}

export type CountEventsToReplayResponse = {
  deliveries: number
}

export type DeadJob = {
  id: string
  kind: string
  key: string
  provider: string
  attempts: number
  error: string
  createdOn: Timestamp
  diedOn: Timestamp
}

export type Delivery = {
  id: string
  eventId: string
  kind: string
  subscriptionId: string
  status: DeliveryStatus
  attemptCount: number
  createdOn: Timestamp
  deliveredOn: Timestamp | null
  nextAttemptOn: Timestamp | null
  attempts: {
    number: number
    startedAt: string
    durationMs: number
    httpStatus: number | null
    error: string | null
    response: string
  }[]
}

export type Deployment = {
  environment: 'sandbox' | 'production'
  publicUrl: string
  pause: DeploymentPause | null
}

export type Explanation = {
  id: string
  origId: string
  publishedOn: Timestamp
  replacedOn: string | null
  isDeleted: boolean
  connector: string
  mappingVersion: number
  run: {
    id: string
    reason: string | null
    startedOn: Timestamp | null
  }
  rawPage: {
    id: string
    index: number
    pull: string | null
    receivedOn: Timestamp | null
    isKept: boolean
  } | null
  currentMapping: {
    version: number
    gives: 'same' | 'different' | 'refused' | 'unknown'
    reason: string | null
  }
  fields: {
    field: string
    result: string | number | boolean | null
    rule: MappingRule | null
    raw: RawValue[]
    isSameNow: boolean
    resultNow: string | number | boolean | null
  }[]
}

export type Export = {
  id: string
  companyId: string | null
  category: Category
  entity: 'Accounts' | 'Transactions'
  format: 'ndjson' | 'csv' | 'parquet'
  state: 'waiting' | 'running' | 'completed' | 'failed' | 'erased'
  requestedBy: string
  requestedOn: Timestamp
  endedOn: Timestamp | null
  expiresOn: string
  records: number
  expectedRecords: number
  bytes: number
  error: string | null
  delivery: {
    destinationId: string
    objectKey: string
    state: 'waiting' | 'delivered' | 'failed' | 'erased' | 'unreached'
    partsSent: number
    error: string | null
  } | null
}

export type ExportDestination = BucketDestination | SftpDestination | DatabaseDestination

export type FoundAccounts = {
  data: FoundAccount[]
}

export type Funnel = {
  from: string
  to: string
  counts: FunnelCount[]
}

export type FunnelCount = {
  day: string
  source: string
  sourceName: string
  language: 'en' | 'fr'
  isFramed: boolean
  opened: number
  agreed: number
  chose: number
  declined: number
  failed: number
  left: number
  connected: number
}

export type GetConnectionLinkResponse = {
  link: string
}

export type GroupRoles = {
  groupRoles: {
    group: string
    role: Role
  }[]
}

export type IdentityProvider = {
  issuer: string
  clientId: string
  scopes: string[]
  parameters: Record<string, string>
  groupsClaim: string | null
  emailDomains: string[]
  trustsEmails: boolean
  createsMembers: boolean
  defaultRole: Role | null
  acceptedAcr: string[]
  acceptedAmr: string[]
  isRequired: boolean
  triedOn: string | null
  updatedOn: Timestamp
}

export type IdentityProviderReport = {
  fault:
    | 'unavailable'
    | 'refused'
    | 'misconfigured'
    | 'invalidAnswer'
    | 'weakAuthentication'
    | 'expired'
    | 'notSet'
    | 'suspended'
    | 'noEmail'
    | 'unverifiedEmail'
    | 'otherDomain'
    | 'notMember'
    | 'taken'
    | 'disabled'
    | 'noRole'
    | 'groupsMissing'
    | null
  givesRefreshTokens: boolean
  announcesLogouts: boolean
  hasLogoutPage: boolean
}

export type IdentityProviderState = {
  provider: IdentityProvider | null
  redirectUri: string
  backChannelLogoutUri: string
  postLogoutRedirectUri: string
  signInAddress: string
}

export type InstitutionRequest = {
  id: string
  serviceId: string
  name: string
  country: string
  url: string
  note: string
  state: 'open' | 'answered'
  requestedBy: string
  createdOn: Timestamp
  answer: string
  answeredOn: Timestamp | null
}

export type IssuedApiKey = {
  id: string
  applicationId: string
  name: string
  prefix: string
  scopes: ApiKeyScope[]
  state: 'active' | 'expired' | 'revoked'
  createdBy: string
  createdOn: Timestamp
  expiresOn: string | null
  lastUsedOn: string | null
  revokedOn: string | null
  replacedBy: string | null
  key: string
}

export type AuditEntryPage = {
  data: AuditEntry[]
  before: number | null
}

export type EventPage = {
  data: Event[]
  cursor: string | null
  hasMore: boolean
}

export type ListedConnection = {
  sessionId: string
  statusName: string
  statusCode: StatusCode
  serviceName: string
  serviceId: string
  parentServiceName: string | null
  categoryId: string
  category: Category
  createdOn: Timestamp
  updateScheduledOn: string | null
  companyId: string
  lastUpdatedOn: Timestamp
  nextReadOn: string | null
  isCurrent: boolean
  fault: string | null
  faultCode: FaultCode | null
  trouble: {
    code: FaultCode
    message: string
    on: Timestamp
    nextAttemptOn: Timestamp
  } | null
}

export type LoginResponse = {
  access_token: string
  username: string
  redirect_url: string
  refreshToken: string
  twoStepVerify: boolean
}

export type Mail = {
  id: string
  kind:
    | 'link'
    | 'repair'
    | 'handOff'
    | 'consentEnding'
    | 'ownerPage'
    | 'agreed'
    | 'withdrawn'
    | 'invitation'
    | 'passwordReset'
    | 'passwordChanged'
    | 'twoStepDisabled'
    | 'secondStepAdded'
    | 'secondStepRemoved'
    | 'twoStepReset'
    | 'twoStepRequired'
    | 'newNetwork'
    | 'addressChanged'
    | 'newAdministrator'
  companyId: string | null
  to: string
  state: 'waiting' | 'sent' | 'refused' | 'failed'
  attempts: number
  problem: string | null
  createdOn: Timestamp
  settledOn: Timestamp | null
}

export type SendConnectionLinkResponse = {
  mailId: string
}

export type MailSettings = {
  writesToOwners: boolean
  canSend: boolean
}

export type NewPasskey = {
  passkey: Passkey
  recoveryCodes: string[]
}

export type NewReceiver = {
  id: string
  subscriptionId: string
  event: SubscribableEvent
  address: string
  behaviour: ReceiverBehaviour
  createdOn: Timestamp
  secret: string
}

export type NewSubscription = {
  id: string
  event: SubscribableEvent
  callbackUrl: string
  secret: string
}

export type OwnerPages = {
  publicName: string
  contact: string
  accentLight: string | null
  accentDark: string | null
  defaultLanguage: 'en' | 'fr' | null
  timeZone: string | null
  defaultPurpose: string | null
  returnAddresses: string[]
  frameOrigins: string[]
  purposes: {
    key: string
    en: string
    fr: string
    durationDays: number
    version: number
  }[]
  logo: {
    address: string
    type: string
    bytes: number
  } | null
  contrast: {
    light: number | null
    dark: number | null
  }
}

export type ProviderLogout = {
  address: string
}

export type Provisioning = {
  address: string
  lastRequestOn: string | null
  users: number
  inactiveUsers: number
  usersWithoutRole: number
  groupCount: number
  groups: {
    id: string
    displayName: string
    externalId: string | null
    members: number
    role: Role | null
  }[]
}

export type Passkey = {
  id: string
  name: string
  createdOn: Timestamp
  lastUsedOn: Timestamp | null
}

export type PasskeyCreation = {
  rp: {
    id: string
    name: string
  }
  user: {
    id: string
    name: string
    displayName: string
  }
  challenge: string
  pubKeyCredParams: {
    alg: number
    type: 'public-key'
  }[]
  timeout: number
  excludeCredentials: {
    id: string
    type: 'public-key'
    transports: string[]
  }[]
  authenticatorSelection: {
    residentKey: 'discouraged'
    requireResidentKey: boolean
    userVerification: 'required'
  }
  attestation: 'none'
}

export type PasskeyRequest = {
  challenge: string
  timeout: number
  rpId: string
  allowCredentials: {
    id: string
    type: 'public-key'
    transports: string[]
  }[]
  userVerification: 'required'
}

export type ProveIdentityResponse = {
  access_token: string
  provenOn: string
  freshUntil: string
  way: 'password' | 'provider'
  twoStepVerify: boolean
  hasPasskey: boolean
}

export type Quality = {
  sessionId: string
  coverage: {
    entity: 'Accounts' | 'Transactions'
    countedOn: string
    total: number
    fields: {
      field: string
      filled: number
      share: number | null
    }[]
  }[]
  unmappedWords: {
    entity: string
    field: string
    word: string
    count: number
  }[]
  staleness: {
    lastReadOn: Timestamp | null
    lastChangedOn: Timestamp | null
    nextReadOn: string | null
    isStale: boolean
  }
  setAside: {
    pageNumber: number
    pageSize: number
    count: number
    total: number
    data: {
      entity: 'Accounts' | 'Transactions'
      origId: string
      reason: string
      on: Timestamp
      rawPageId: string | null
      rawIndex: number
    }[]
  }
  heldBackDeletions: {
    count: number
    runId: string | null
    on: Timestamp | null
  }
  lastRun: {
    id: string
    reason: string
    state: string
    startedOn: Timestamp
    endedOn: Timestamp
    warnings: RunWarning[]
  } | null
}

export type Queue = {
  kind: string
  waiting: number
  running: number
  dead: number
  lagSeconds: number
}

export type Quota = {
  name: 'companies' | 'connections' | 'subscriptions' | 'fileFeeds' | 'replays' | 'storedBytes' | 'uploads' | 'requestsPerMinute'
  used: number | null
  bound: number | null
  isDefault: boolean
  isNear: boolean
}

export type Receipt = {
  id: string
  companyId: string
  sessionId: string
  kind: 'withdrawal' | 'deletion'
  serviceName: string
  issuedOn: Timestamp
  signed: string
}

export type ReceivedRequest = {
  id: string
  receivedOn: Timestamp
  answered: number
  headers: Record<string, string>
  bodyBytes: number
  checks: {
    timestamp: boolean
    headers: boolean
    body: boolean
  }
  isRepeat: boolean
}

export type Receiver = {
  id: string
  subscriptionId: string
  event: SubscribableEvent
  address: string
  behaviour: ReceiverBehaviour
  createdOn: Timestamp
}

export type RecoveryCodes = {
  recoveryCodes: string[]
}

export type Replayed = {
  deliveries: number
}

export type RotateSubscriptionSecretResponse = {
  secret: string
  signsBodiesFrom: Timestamp
}

export type Run = {
  id: string
  reason: string
  state: 'running' | 'published' | 'unchanged' | 'failed' | 'abandoned'
  startedOn: Timestamp
  endedOn: Timestamp | null
  durationMs: number | null
  counts: {
    pages: number
    records: number
    changed: number
    setAside: number
    deleted: number
    heldBack: number
  }
  warnings: RunWarning[]
  errorKind: string | null
  error: string | null
}

export type SavedKeys = {
  result: 'accepted' | 'untested'
  reason: string
  connectionsOfOtherApps: number
}

export type Service = {
  id: string
  isEnabled: boolean
  logoUrl: string
  name: string
  title: string
  parentId: string | null
  parentName: string | null
  description: string
  categoryId: string
  category: Category
  supportedEntities: string[]
}

export type ServiceSchedule = {
  everyMinutes: number | null
  setBy: 'connection' | 'service' | 'source'
  shortestMinutes: number
  isChangeable: boolean
}

export type Session = {
  id: string
  isCurrent: boolean
  network: string | null
  agent: string | null
  createdOn: Timestamp
  lastUsedOn: string
  expiresOn: Timestamp
}

export type SignInOption = {
  address: string | null
  host: string | null
  instanceName: string | null
}

export type SessionProof = {
  provenOn: string
  freshUntil: string
  way: 'password' | 'provider'
  twoStepVerify: boolean
  hasPasskey: boolean
}

export type McpAccess = {
  isEnabled: boolean
}

export type SignInRules = {
  requiresTwoStep: boolean
  membersWithoutTwoStep: number
}

export type Simulator = {
  key: string
  url: string
  faults: string[]
  armed: {
    name: string
    times: number
  }[]
  clockMovedSeconds: number
}

export type Source = {
  key: string
  serviceId: string
  name: string
  category: Category
  environment: 'sandbox' | 'production'
  isEnabled: boolean
  closedBy: 'noKeys' | 'hidden' | null
  isHidden: boolean
  keysFrom: 'instance' | 'deployment' | 'simulator' | 'none' | 'unneeded'
  keys: SourceKey[]
  tested: {
    result: 'accepted' | 'refused' | 'untested'
    reason: string
    on: Timestamp
  } | null
  connections: number
  connectionsOfOtherApps: number
  callback: 'own' | 'shared'
  callbackUrl: string
  webhookUrl: string
}

export type Subscription = {
  id: string
  event: SubscribableEvent
  callbackUrl: string
  status: 'active' | 'disabled'
  disabledReason: 'gone' | 'failing' | null
  disabledOn: Timestamp | null
  failingSince: Timestamp | null
  createdOn: Timestamp
}

export type SubscriptionSecret = {
  id: string
  signs: 'bodyAndHeaders' | 'headers'
  signsBodiesFrom: Timestamp
  endsOn: Timestamp | null
}

export type TestedKeys = {
  result: 'accepted' | 'refused' | 'untested'
  reason: string
}

export type TimelineEntry = {
  at: Timestamp
  kind: 'linkIssued' | 'linkOpened' | 'consentGiven' | 'consentEnded' | 'linkCompleted' | 'linkRevoked' | 'linkExpired' | 'status' | 'run'
  sessionId: string | null
  subjectId: string | null
  fromStatusCode: StatusCode | null
  statusCode: StatusCode | null
  statusName: string | null
  detail: string
  detailCode: string | null
  detailParts: Record<string, string | number>
}

export type TwoStepSecret = {
  secret: string
  otpauthUrl: string
}

export type TwoStepState = {
  enabled: boolean
  hasApp: boolean
  passkeys: number
  isRequired: boolean
  recoveryCodesLeft: number
}

export type Usage = {
  from: string
  to: string
  api: {
    day: string
    operation: string
    status: number
    count: number
  }[]
  runs: {
    day: string
    state: string
    count: number
  }[]
  deliveries: {
    day: string
    status: DeliveryStatus
    count: number
  }[]
  connections: {
    statusCode: StatusCode
    statusName: string
    count: number
  }[]
}

export type User = {
  id: string
  email: string
  name: string
  role: Role
  isEnabled: boolean
  twoStepVerify: boolean
  isFromProvider: boolean
  emailProvenOn: string | null
  createdOn: Timestamp
  updatedOn: Timestamp
}

export type WholeRequest = {
  id: string
  receivedOn: Timestamp
  answered: number
  headers: Record<string, string>
  bodyBytes: number
  checks: {
    timestamp: boolean
    headers: boolean
    body: boolean
  }
  isRepeat: boolean
  body: string
}

export type Whoami = {
  id: string
  email: string
  name: string
  role: Role
  isEnabled: boolean
  twoStepVerify: boolean
  isFromProvider: boolean
  emailProvenOn: string | null
  createdOn: Timestamp
  updatedOn: Timestamp
  instanceId: string
  instanceName: string | null
  mustSetUpTwoStep: boolean
}

export type Timestamp = string

export type SameAccountReason = {
  code: 'sameNumber' | 'sameEnding' | 'sameBank' | 'sameBalance' | 'sameTransactions' | 'sameAsThird'
  text: string
  transactions: number | null
  from: string | null
  until: string | null
}

export type DeploymentPause = {
  reason: 'restored' | 'requested'
  since: Timestamp
}

export type MappingRule = {
  kind: 'constant' | 'copied' | 'masked' | 'table' | 'unknownWord' | 'nothing' | 'computed' | 'engine'
  text: string
  code: string | null
}

export type RawValue = {
  path: string
  found: 'value' | 'absent' | 'object' | 'list'
  value: string | number | boolean | null
}

export type BucketDestination = {
  kind: 's3'
  id: string
  name: string
  createdOn: Timestamp
  endpoint: string
  region: string
  bucket: string
  prefix: string
  accessKeyId: string
}

export type SftpDestination = {
  kind: 'sftp'
  id: string
  name: string
  createdOn: Timestamp
  host: string
  port: number
  user: string
  hostKey: string
  path: string
  authentication: 'password' | 'key'
}

export type DatabaseDestination = {
  kind: 'postgres'
  id: string
  name: string
  createdOn: Timestamp
  host: string
  port: number
  database: string
  user: string
  schema: string
  tls: 'verify' | 'off'
  certificateAuthority: string | null
  replication: Replication
}

export type FoundAccount = {
  id: string
  origId: string
  name: string
  number: string
  category: Category
  companyId: string
  companyName: string
  serviceId: string
  sessionId: string
}

export type Event = {
  Class: 'DataConnection' | 'Audit'
  MessageType:
    | 'RawData'
    | 'NormalizedData'
    | 'ReadyToUseData'
    | 'AccountsChanged'
    | 'TransactionsChanged'
    | 'AuditEntry'
    | 'Error'
    | 'Suspended'
    | 'Disconnected'
  Identifier: string
  Data: Record<string, unknown>
}

export type RunWarning = {
  code: 'setAside' | 'heldBack' | 'unmapped' | 'unclear' | 'failed'
  count: number
  message: string
}

export type SourceKey = {
  name: string
  isRequired: boolean
  isSecret: boolean
  isLong: boolean
  label: {
    en: string
    'fr-CA': string
  }
  hint: {
    en: string
    'fr-CA': string
  } | null
  setOn: Timestamp | null
  setBy: string | null
  example: string | null
}

export type Replication = {
  state: 'copying' | 'current' | 'failing'
  error: string | null
  failingSince: Timestamp | null
  currentOn: Timestamp | null
  cursor: string | null
}
