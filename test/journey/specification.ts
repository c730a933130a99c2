import { Type } from 'typebox'
import { ACCOUNTING_ACCOUNT } from '../../src/model/records/accounting-account.ts'
import { BANK_ACCOUNT } from '../../src/model/records/bank-account.ts'
import type { RecordSchema } from '../../src/model/records/record-schema.ts'

/*
 * What the specification shows of each response, written from it and not from our code: every field, and no others
 * except those marked as ours.
 */

const Uuid = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' })
const Url = Type.String({ pattern: '^https?://' })
/** Without an offset. */
const Plain = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?$' })
const WithOffset = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$' })
const Timestamp = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d' })
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) => Type.Union([type, Type.Null()])
const closed = <T extends Parameters<typeof Type.Object>[0]>(properties: T) => Type.Object(properties, { additionalProperties: false })
const pageOf = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  closed({ pageNumber: Type.Integer(), pageSize: Type.Integer(), count: Type.Integer(), data: Type.Array(item) })
const pagination = closed({ pageNumber: Type.Integer(), pageSize: Type.Integer(), count: Type.Integer() })

export const TokenResponse = closed({
  access_token: Type.String({ pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$' }),
  username: Type.String(),
  redirect_url: Type.String({ pattern: '^/' }),
  refreshToken: Type.String({ minLength: 20 }),
  twoStepVerify: Type.Boolean(),
})

export const LinkAnswer = closed({ link: Url })

export const ServicesPage = pageOf(
  closed({
    id: Uuid,
    isEnabled: Type.Boolean(),
    logoUrl: Url,
    name: Type.String(),
    title: Type.String(),
    parentId: orNull(Uuid),
    parentName: orNull(Type.String()),
    description: Type.String({ pattern: '^\\{' }),
    categoryId: Uuid,
    category: Type.String(),
    supportedEntities: Type.Array(Type.String()),
  }),
)

/** Our additions to the specification: the aggregator, its owner, whether it is the one that counts, and the fault. */
const besideConnection = {
  parentServiceName: orNull(Type.String()),
  companyId: Uuid,
  lastUpdatedOn: Plain,
  nextReadOn: orNull(Plain),
  // Release 1.0.0, beside which this one runs in a test, does not have it.
  isCurrent: Type.Optional(Type.Boolean()),
  fault: orNull(Type.String()),
  faultCode: orNull(Type.String()),
  trouble: orNull(Type.Object({})),
}

export const ConnectionsPage = pageOf(
  closed({
    sessionId: Uuid,
    statusName: Type.String(),
    statusCode: Type.Integer(),
    serviceName: Type.String(),
    serviceId: Uuid,
    categoryId: Uuid,
    category: Type.String(),
    createdOn: Plain,
    // Null where no refresh will come: docs/decisions/0052-refresh-schedules.md.
    updateScheduledOn: orNull(Plain),
    ...besideConnection,
  }),
)

/** Our additions to the specification: fields added to our records since. */
function laterFields({ properties }: RecordSchema) {
  return Object.fromEntries(properties.filter(({ since }) => since > 1).map(({ name, schema }) => [name, schema]))
}

export const AccountingAccounts = closed({
  data: Type.Array(
    closed({
      serviceId: Uuid,
      serviceName: Type.String(),
      lastUpdatedOn: Timestamp,
      id: Uuid,
      origId: Type.String({ minLength: 1 }),
      number: Type.String(),
      name: Type.String({ minLength: 1 }),
      currency: Type.String({ pattern: '^[A-Z]{3}$' }),
      description: Type.String(),
      classApp: Type.String(),
      classSystem: Type.String(),
      typeApp: Type.String(),
      typeSystem: Type.String(),
      subTypeApp: Type.String(),
      subTypeSystem: Type.String(),
      statusApp: Type.String(),
      statusSystem: Type.String(),
      ...laterFields(ACCOUNTING_ACCOUNT),
    }),
  ),
  pagination,
})

/** A value that a source does not report is null: the specification shows no field without a value. */
export const BankAccounts = closed({
  serviceId: Uuid,
  serviceName: Type.String(),
  lastUpdatedOn: Timestamp,
  data: Type.Array(
    closed({
      serviceId: Uuid,
      serviceName: Type.String(),
      lastUpdatedOn: Timestamp,
      origId: Type.String({ minLength: 1 }),
      providerName: Type.String({ minLength: 1 }),
      accountName: Type.String({ minLength: 1 }),
      accountNumber: Type.String(),
      accountStatusSystem: Type.String(),
      userAccountClassification: orNull(Type.String()),
      typeSystem: Type.String(),
      subTypeSystem: Type.String(),
      subTypeSystemDisplayName: Type.String(),
      interestRate: orNull(Type.Number()),
      availableCredit: orNull(Type.Number()),
      dueDate: orNull(WithOffset),
      maturityAmount: orNull(Type.Number()),
      maturityDate: orNull(Timestamp),
      minimumAmountDue: orNull(Type.Number()),
      totalCreditLine: orNull(Type.Number()),
      originalLoanAmount: orNull(Type.Number()),
      lender: orNull(Type.String()),
      amountDue: orNull(Type.Number()),
      principalBalance: orNull(Type.Number()),
      currency: Type.String({ pattern: '^[A-Z]{3}$' }),
      actualBalance: orNull(Type.Number()),
      actualBalanceDate: orNull(WithOffset),
      sourceUpdatedDate: orNull(WithOffset),
      ...laterFields(BANK_ACCOUNT),
    }),
  ),
  pagination,
})

export const NormalizedDataEvent = closed({
  Class: Type.Literal('DataConnection'),
  MessageType: Type.Literal('NormalizedData'),
  Identifier: Type.String({ pattern: `^NormalizedData\\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$` }),
  Data: closed({
    SessionShareId: Uuid,
    CompanyId: Uuid,
    AccountExternalId: orNull(Type.String()),
    ApplicationId: orNull(Type.String()),
    ServiceId: Uuid,
    ServiceName: Type.String({ minLength: 1 }),
    CategoryName: Type.String({ minLength: 1 }),
    CategoryId: Uuid,
    Email: Type.String({ pattern: '@' }),
    IssuedAs: Type.Literal('Manual'),
    ModifiedOn: Plain,
  }),
  Signature: Type.String({ pattern: '^[0-9a-f]{64}$' }),
})
