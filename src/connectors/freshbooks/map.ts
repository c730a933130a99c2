import type { AccountStatus, AccountType } from '../../model/records/accounting.ts'
import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import { type MapContext, mapping } from '../contract/mapping.ts'
import type { TypeRule } from '../contract/type-table.ts'
import { refineByName } from '../toolkit/names/account-names.ts'
import { findRefinement, findSubTypeRule, findTypeRule } from './type-table.ts'
import type { AccountWire } from './wire.ts'

const STATUSES: Readonly<Record<string, AccountStatus>> = {
  active: 'ACTIVE',
  archived: 'ARCHIVED',
  inactive: 'ARCHIVED',
  deleted: 'DELETED',
}

const UNKNOWN: TypeRule = { class: 'UNKNOWN', type: 'OTHER' }

/**
 * Class and type by sub type: where FreshBooks' `type` differs, only `classApp` keeps it.
 */
export const accountMapping = mapping<AccountWire, AccountingAccount>(4, {
  origId: (account) => account.uuid,
  number: (account) => account.number ?? '',
  name: (account) => account.name ?? '',
  currency: toCurrency,
  description: (account) => account.description ?? '',
  classApp: (account) => account.type ?? '',
  classSystem: (account, context) => {
    const word = account.type ?? ''
    if (word !== '' && !findTypeRule(word)) context.unmapped('classSystem', word)
    return toRule(account).class
  },
  typeApp: (account) => account.sub_type ?? '',
  typeSystem: (account, context) => {
    const word = account.sub_type ?? ''
    if (word !== '' && !findSubTypeRule(word)) context.unmapped('typeSystem', word)
    return refineByName(ruleByType(account), account.name ?? '').type
  },
  subTypeApp: (account) => account.system_account_name ?? '',
  subTypeSystem: (account) => refineByName(ruleByType(account), account.name ?? '').subType,
  statusApp: (account) => account.state ?? '',
  statusSystem: (account, context) => {
    const word = account.state ?? ''
    const known = STATUSES[word]
    if (!known && word !== '') context.unmapped('statusSystem', word)
    return known ?? 'UNKNOWN'
  },
})

/** Currency of the books in which the account is kept; one that the report does not tell is counted. */
function toCurrency({ currencyCode }: AccountWire, context: MapContext): string {
  if (currencyCode && /^[A-Za-z]{3}$/.test(currencyCode)) return currencyCode.toUpperCase()
  if (currencyCode !== '' && currencyCode !== undefined) context.unmapped('currency', currencyCode ?? 'not told')
  return ''
}

function toRule(account: AccountWire): TypeRule {
  return findSubTypeRule(account.sub_type ?? '') ?? findTypeRule(account.type ?? '') ?? UNKNOWN
}

/** Type rule by FreshBooks' sub type and role, without the account's name. */
function ruleByType(account: AccountWire): { type: AccountType; subType?: string } {
  const { type } = toRule(account)
  return { type, ...findRefinement(type, account.system_account_name ?? '') }
}
