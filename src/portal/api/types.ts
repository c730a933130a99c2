/** Answers of the API, as `/admin/api/openapi.json` describes them. Timestamps without an offset are UTC. */
export interface Me {
  id: string
  email: string
  name: string
  role: Role
  isEnabled: boolean
  twoStepVerify: boolean
  instanceId: string
  instanceName: string | null
}

export type Role = 'admin' | 'developer' | 'integration' | 'viewer'
export const ROLES: readonly Role[] = ['admin', 'developer', 'integration', 'viewer']

export interface Deployment {
  environment: 'sandbox' | 'production'
  publicUrl: string
}

export interface Company {
  id: string
  name: string
  industry: string
  fullAddress: string
  country: string
  city: string
  createdOn: string
  companyContactNumber: string
}

export interface Service {
  id: string
  isEnabled: boolean
  name: string
  title: string
  parentId: string | null
  parentName: string | null
  description: string
  category: Category
  supportedEntities: string[]
}

export type Category = 'Accounting' | 'Banking'

export interface Connection {
  sessionId: string
  statusName: string
  statusCode: number
  serviceName: string
  serviceId: string
  category: Category
  createdOn: string
  updateScheduledOn: string
}

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

/** Why a connection is at fault, and what it waits for. */
export interface Faulty {
  fault: string | null
  faultCode: FaultCode | null
  trouble: { code: FaultCode; message: string; on: string; nextAttemptOn: string } | null
}

export interface ListedConnection extends Connection, Faulty {
  nextReadOn: string | null
  companyId: string
  lastUpdatedOn: string
}

export interface ConnectionDetail extends Connection, Faulty {
  nextReadOn: string | null
  entityName: string | null
  lastPublishedOn: string | null
  setAside: { entity: string; origId: string; reason: string; on: string }[]
}

export interface TimelineEntry {
  at: string
  kind: 'linkIssued' | 'linkOpened' | 'consentGiven' | 'consentEnded' | 'linkCompleted' | 'linkRevoked' | 'linkExpired' | 'status' | 'run'
  subjectId: string | null
  fromStatusCode: number | null
  statusCode: number | null
  statusName: string | null
  detail: string
  detailCode: string | null
  detailParts: Record<string, string | number>
}

export interface Warning {
  code: 'setAside' | 'heldBack' | 'unmapped' | 'unclear' | 'failed'
  count: number
  message: string
}

export interface Run {
  id: string
  reason: string
  state: 'running' | 'published' | 'unchanged' | 'failed' | 'abandoned'
  startedOn: string
  endedOn: string | null
  durationMs: number | null
  counts: { pages: number; records: number; changed: number; setAside: number; deleted: number; heldBack: number }
  warnings: Warning[]
  errorKind: string | null
  error: string | null
}

export interface Quality {
  coverage: { entity: string; countedOn: string; total: number; fields: { field: string; filled: number; share: number | null }[] }[]
  unmappedWords: { entity: string; field: string; word: string; count: number }[]
  staleness: { lastReadOn: string | null; lastChangedOn: string | null; nextReadOn: string | null; isStale: boolean }
  setAside: { pageNumber: number; pageSize: number; total: number; data: { entity: string; origId: string; reason: string; on: string }[] }
  heldBackDeletions: { count: number; runId: string | null; on: string | null }
  lastRun: { state: string; warnings: Warning[] } | null
}

export interface AccountingAccount {
  id: string
  origId: string
  number: string
  name: string
  currency: string
  description: string
  classSystem: string
  typeSystem: string
  subTypeSystem: string
  typeApp: string
  statusSystem: string
}

export interface BankAccount {
  origId: string
  providerName: string
  accountName: string
  accountNumber: string
  accountStatusSystem: string
  typeSystem: string
  subTypeSystem: string
  subTypeSystemDisplayName: string
  currency: string
  actualBalance: number | null
  actualBalanceDate: string | null
}

export interface Explanation {
  id: string
  origId: string
  publishedOn: string
  replacedOn: string | null
  connector: string
  mappingVersion: number
  rawPage: { index: number; pull: string | null; receivedOn: string | null; isKept: boolean } | null
  currentMapping: { version: number; gives: 'same' | 'different' | 'refused' | 'unknown'; reason: string | null }
  fields: {
    field: string
    result: Scalar
    rule: { kind: string; text: string; code: string | null } | null
    raw: { path: string; found: 'value' | 'absent' | 'object' | 'list'; value: Scalar }[]
    isSameNow: boolean
  }[]
}

export type Scalar = string | number | boolean | null
