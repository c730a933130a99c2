import type { AccountingAccount } from '../../model/records/accounting-account.ts'
import { mapping } from '../contract/mapping.ts'
import { refineByName } from '../toolkit/names/account-names.ts'
import { isKnownSubtype, isKnownType, type TypeRule, toTypeRule } from './type-table.ts'
import type { AccountWire } from './wire.ts'

/** Class and type by subtype: where Wave's type differs, only `classApp` keeps it. */
export const accountMapping = mapping<AccountWire, AccountingAccount>(3, {
  origId: (account) => account.id,
  number: (account) => account.displayId ?? '',
  name: (account) => account.name ?? '',
  currency: (account, context) => {
    const word = account.currency?.code ?? ''
    if (/^[A-Za-z]{3}$/.test(word)) return word.toUpperCase()
    if (word !== '') context.unmapped('currency', word)
    return ''
  },
  description: (account) => account.description ?? '',
  classApp: (account) => account.type?.value ?? '',
  classSystem: (account, context) => {
    const word = account.type?.value ?? ''
    if (word !== '' && !isKnownType(word)) context.unmapped('classSystem', word)
    return ruleOf(account).class
  },
  typeApp: (account) => account.subtype?.value ?? '',
  typeSystem: (account, context) => {
    const word = account.subtype?.value ?? ''
    if (word !== '' && !isKnownSubtype(word)) context.unmapped('typeSystem', word)
    return refineByName(ruleOf(account), account.name ?? '').type
  },
  subTypeApp: () => '',
  subTypeSystem: (account) => refineByName(ruleOf(account), account.name ?? '').subType,
  statusApp: (account) => (typeof account.isArchived === 'boolean' ? `isArchived=${account.isArchived}` : ''),
  statusSystem: (account) => {
    if (typeof account.isArchived !== 'boolean') return 'UNKNOWN'
    return account.isArchived ? 'ARCHIVED' : 'ACTIVE'
  },
})

function ruleOf(account: AccountWire): TypeRule {
  return toTypeRule(account.type?.value ?? '', account.subtype?.value ?? '')
}
