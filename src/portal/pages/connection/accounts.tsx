import { Link } from 'wouter'
import { ACCOUNT_STATUSES, ACCOUNT_TYPES } from '../../../model/records/accounting.ts'
import { BANK_ACCOUNT_STATUSES, BANK_ACCOUNT_TAXONOMY } from '../../../model/records/banking.ts'
import { type Page, withQuery } from '../../api/client.ts'
import type { AccountingAccount, BankAccount, Category } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { UserText } from '../../parts/display/user-text.tsx'
import { Empty } from '../../parts/layout/page.tsx'
import { type Column, Grid } from '../../parts/tables/grid.tsx'
import { Pager, usePageNumber } from '../../parts/tables/pager.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { dataTexts } from '../../texts/pages/data.ts'
import { ACCOUNT_PROPERTIES, toFilterQuery } from './data-filter.ts'
import { FilterBar, useDataFilter } from './filter-bar.tsx'
import { type ConnectionKey, dataPath, explanationHref } from './paths.ts'

type Account = AccountingAccount | BankAccount

interface AccountsProps {
  connectionKey: ConnectionKey
  category: Category
  asOf: string | null
}

/** All values that the API has for them. */
const CHOICES: Record<Category, { statuses: readonly string[]; types: readonly string[] }> = {
  Accounting: { statuses: ACCOUNT_STATUSES, types: ACCOUNT_TYPES },
  Banking: { statuses: BANK_ACCOUNT_STATUSES, types: Object.keys(BANK_ACCOUNT_TAXONOMY) },
}

/** Table of accounts; each links to its explanation. */
export function Accounts({ connectionKey, category, asOf }: AccountsProps) {
  const texts = useTexts(dataTexts)
  const [pageNumber, turn] = usePageNumber('page')
  const filtering = useDataFilter()
  const path = dataPath(connectionKey, category, 'accounts')
  const query = { PageSize: 50, PageNumber: pageNumber, FilterQuery: toFilterQuery(filtering.filter, ACCOUNT_PROPERTIES[category]), asOf }
  const accounts = useRead<Page<Account>>(withQuery(path, query), { keep: true })
  if (accounts.error?.status === 404) return <Empty title={texts.none}>{texts.noneHint}</Empty>
  return (
    <>
      <FilterBar {...filtering} {...CHOICES[category]} searchLabel={texts.searchAccounts} problem={accounts.error} />
      <Answer read={accounts} lines={8}>
        {(page) => (
          <>
            <AccountGrid connectionKey={connectionKey} category={category} asOf={asOf} rows={page.data} isFiltered={filtering.isOn} />
            <Pager page={page} onTurn={turn} />
          </>
        )}
      </Answer>
    </>
  )
}

function isBank(account: Account): account is BankAccount {
  return 'accountStatusSystem' in account
}

function AccountGrid({
  connectionKey,
  category,
  asOf,
  rows,
  isFiltered,
}: AccountsProps & { rows: readonly Account[]; isFiltered: boolean }) {
  const texts = useTexts(dataTexts)
  const formats = useFormats()
  const link = (recordId: string, name: string) => (
    <Link href={explanationHref(connectionKey, recordId, 'accounts', asOf)}>
      <UserText most={100}>{name || texts.unnamed}</UserText>
    </Link>
  )
  const books: Column<AccountingAccount>[] = [
    { name: texts.name, cell: ({ id, name }) => link(id, name) },
    { name: texts.number, cell: ({ number }) => <UserText most={40}>{number}</UserText> },
    {
      name: texts.type,
      cell: ({ classSystem, typeSystem }) => <UserText>{[classSystem, typeSystem].filter(Boolean).join(' · ')}</UserText>,
    },
    { name: texts.status, cell: ({ statusSystem }) => <UserText>{statusSystem}</UserText> },
    { name: texts.currency, cell: ({ currency }) => <UserText most={10}>{currency}</UserText> },
  ]
  const banks: Column<BankAccount>[] = [
    { name: texts.name, cell: ({ origId, accountName }) => link(origId, accountName) },
    { name: texts.number, cell: ({ accountNumber }) => <UserText most={40}>{accountNumber}</UserText> },
    {
      name: texts.type,
      cell: ({ typeSystem, subTypeSystemDisplayName }) => (
        <UserText>{[typeSystem, subTypeSystemDisplayName].filter(Boolean).join(' · ')}</UserText>
      ),
    },
    { name: texts.status, cell: ({ accountStatusSystem }) => <UserText>{accountStatusSystem}</UserText> },
    {
      name: texts.balance,
      isNumber: true,
      cell: ({ actualBalance, currency }) => (actualBalance === null ? '—' : formats.money(actualBalance, currency)),
    },
  ]
  const empty = isFiltered ? { title: texts.nothingFits, hint: texts.nothingFitsHint } : { title: texts.none, hint: texts.noneHint }
  return category === 'Banking' ? (
    <Grid label={texts.account} rows={rows.filter(isBank)} keyOf={({ origId }) => origId} empty={empty} columns={banks} />
  ) : (
    <Grid label={texts.account} rows={rows.filter((row) => !isBank(row))} keyOf={({ id }) => id} empty={empty} columns={books} />
  )
}
