import { type Static, Type } from 'typebox'

/**
 * Schemas of Frappe's REST API: empty is null or the empty text, a flag is 0 or 1, a reference is the name of the other
 * record.
 * Source: https://github.com/frappe/erpnext/blob/version-15/erpnext/accounts/doctype/account/account.json, gl_entry/gl_entry.json
 */

const Text = Type.Union([Type.String(), Type.Null()])
const Flag = Type.Union([Type.Literal(0), Type.Literal(1), Type.Null()])
const Amount = Type.Union([Type.Number(), Type.String()])

export const AccountWire = Type.Object({
  /** Id: number, name and the company's abbreviation, `1110 - Cash - WP`. A renamed account has another. */
  name: Type.String(),
  account_name: Type.String(),
  account_number: Type.Optional(Text),
  /** `Asset`, `Liability`, `Equity`, `Income`, `Expense`: inherited from the root of the tree. */
  root_type: Type.Optional(Text),
  account_type: Type.Optional(Text),
  parent_account: Type.Optional(Text),
  /** 1: adds up its children, has no entries. */
  is_group: Type.Optional(Flag),
  account_currency: Type.Optional(Text),
  disabled: Type.Optional(Flag),
})
export type AccountWire = Static<typeof AccountWire>

/** `GL Entry`: one line of the ledger. `debit` and `credit` are in the company's currency, which is added here. */
export const LedgerWire = Type.Object({
  name: Type.String(),
  account: Type.String(),
  debit: Amount,
  credit: Amount,
  posting_date: Type.String(),
  /** `Sales Invoice`, `Journal Entry`, … with its number: the lines of one voucher balance. */
  voucher_type: Type.String(),
  voucher_no: Type.String(),
  party: Type.Optional(Text),
  remarks: Type.Optional(Text),
  companyCurrency: Text,
})
export type LedgerWire = Static<typeof LedgerWire>
