import { openHarness } from '../../connectors/business-central/harness.ts'
import { connect } from '../../harness/redirect.ts'
import { at, listAt, textsOf, toOpened } from '../opened-source.ts'
import { opensFor } from '../redirect-subject.ts'
import { COMMON_READ_FAULTS, type Row, type Subject } from '../subject.ts'

function isSameDocument(a: Row, b: Row): boolean {
  return a.documentNumber === b.documentNumber && a.postingDate === b.postingDate
}

export const subject: Subject = {
  open: async (size) => {
    const harness = await openHarness({ giantAccounts: 5_400 })
    return toOpened(harness, await connect(harness, size === 'small' ? {} : { login: 'load' }))
  },
  lists: [
    {
      pull: 'accounts',
      entity: 'Accounts',
      rows: (body, { url }) => (url.includes('/accounts') || url.includes('aid=') ? listAt(body, 'value') : null),
      names: (row) => textsOf(row, 'id'),
      required: ['id'],
      isHeading: (row) => row.accountType !== 'Posting',
      words: { category: 'classApp', accountType: 'typeApp', subCategory: 'subTypeApp' },
    },
    {
      pull: 'generalLedgerEntries',
      entity: 'Transactions',
      rows: (body, { url }) => (url.includes('/generalLedgerEntries') ? listAt(body, 'value') : null),
      // Rows do not name their entry: lines of one document and day may form one, which is set aside under its first
      // number.
      names: (row, rows) => [
        ...textsOf(row, 'id'),
        ...rows.filter((each) => isSameDocument(each, row)).flatMap((each) => textsOf(each, 'entryNumber')),
      ],
      isLeftOut: (row) => at(row, 'debitAmount') === 0 && at(row, 'creditAmount') === 0,
      required: ['id', 'entryNumber', 'postingDate', 'accountId', 'debitAmount', 'creditAmount', 'documentNumber'],
      words: { documentType: 'sourceType' },
    },
  ],
  throttles: [
    ['throttle', 60_000],
    ['throttleWithWait', 17_000],
  ],
  revoked: 'revoked',
  forbidden: 'forbidden',
  expiredCursor: { fault: 'expiredLink', size: 'long', pull: 'accounts' },
  repeatedPage: 'repeatPage',
  readFaults: {
    ...COMMON_READ_FAULTS,
    throttleWithWait: 'rateLimited',
    gatewayTimeout: 'unavailable',
    operationTimeout: 'unavailable',
    huge: 'unavailable',
    unauthorized: 'reconnect',
    forbidden: 'reconnect',
    companyGone: 'reconnect',
    revoked: 'reconnect',
  },
  recovers: ['repeatPage', 'duplicateIds'],
  endless: ['repeatPage'],
  drifted: { fault: 'schemaDrift', pull: 'accounts', fits: [true, false, true, true, 'unreadable'] },
  publicParts: ['tenantId', 'environment', 'companyId'],
  redirect: {
    open: opensFor(openHarness, 'erin'),
    refuses: { decision: 'cancel' },
    codeMs: 600_000,
    forged: { because: 'the callback names no company' },
    withoutBooks: { answer: { login: 'sam' }, says: ['no Business Central', 'aucune'] },
    scopes: { because: 'Business Central has no scope for reading only' },
    several: { login: 'luc' },
    frenchPage: />Accepter<\/button>/,
    invalidRequests: [{ scope: '' }, { state: '' }, { code_challenge_method: '' }],
    callLimit: { settings: { callsPerWindow: 4 }, windowMs: 300_000 },
    accessTokenMs: 2 * 3_600_000,
    usedRefreshToken: { because: 'a refresh token of Entra is good until it ends, used or not' },
    lostAnswer: 'new tokens',
    refusedKey: /AADSTS7000215.*clientSecret/,
    disconnect: { because: 'Entra has no call that ends an authorization' },
  },
}
