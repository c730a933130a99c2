import { useState } from 'react'
import { Link } from 'wouter'
import { type Page, withQuery } from '../../api/client.ts'
import type { AccountingAccount, BankAccount, Category } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answer.tsx'
import { type Column, Grid } from '../../parts/grid.tsx'
import { Empty } from '../../parts/page.tsx'
import { Pager, usePageNumber } from '../../parts/pager.tsx'
import { Words } from '../../parts/words.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { dataTexts } from '../../texts/pages/data.ts'
import { type FilterProperties, toFilterQuery } from './data-filter.ts'
import { FilterBar, useDataFilter } from './filter-bar.tsx'
import { dataPath, explanationHref, type Place } from './place.ts'

type Account = AccountingAccount | BankAccount

interface AccountsProps {
  place: Place
  category: Category
  asOf: string | null
}

const PROPERTIES: Record<Category, FilterProperties> = {
  Accounting: { search: ['name', 'number'], status: 'statusSystem', type: 'typeSystem' },
  Banking: { search: ['accountName', 'accountNumber'], status: 'accountStatusSystem', type: 'typeSystem' },
}
/** Of so many accounts the states and types are read to choose among. */
const MAX_READ = 500

/** The accounts as a table; each leads to its raw record. */
export function Accounts({ place, category, asOf }: AccountsProps) {
  const texts = useTexts(dataTexts)
  const [pageNumber, turn] = usePageNumber('page')
  const filtering = useDataFilter()
  const path = dataPath(place, category, 'accounts')
  const query = { PageSize: 50, PageNumber: pageNumber, FilterQuery: toFilterQuery(filtering.filter, PROPERTIES[category]), asOf }
  const accounts = useRead<Page<Account>>(withQuery(path, query), { keep: true })
  const [isChoosing, setIsChoosing] = useState(false)
  const all = useRead<Page<Account>>(withQuery(path, { PageSize: MAX_READ, asOf }), { enabled: isChoosing })
  if (accounts.error?.status === 404) return <Empty title={texts.none}>{texts.noneHint}</Empty>
  const known = all.data?.data ?? accounts.data?.data ?? []
  return (
    <>
      <FilterBar
        {...filtering}
        searchLabel={texts.searchAccounts}
        statuses={known.map((account) => (isBank(account) ? account.accountStatusSystem : account.statusSystem))}
        types={known.map(({ typeSystem }) => typeSystem)}
        problem={accounts.error}
        onWanted={() => setIsChoosing(true)}
      />
      <Answer read={accounts} lines={8}>
        {(page) => (
          <>
            <AccountGrid place={place} category={category} asOf={asOf} rows={page.data} isFiltered={filtering.isOn} />
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

function AccountGrid({ place, category, asOf, rows, isFiltered }: AccountsProps & { rows: readonly Account[]; isFiltered: boolean }) {
  const texts = useTexts(dataTexts)
  const formats = useFormats()
  const link = (recordId: string, name: string) => (
    <Link href={explanationHref(place, recordId, 'accounts', asOf)}>
      <Words most={100}>{name || texts.unnamed}</Words>
    </Link>
  )
  const books: Column<AccountingAccount>[] = [
    { name: texts.name, cell: ({ id, name }) => link(id, name) },
    { name: texts.number, cell: ({ number }) => <Words most={40}>{number}</Words> },
    { name: texts.type, cell: ({ classSystem, typeSystem }) => <Words>{[classSystem, typeSystem].filter(Boolean).join(' · ')}</Words> },
    { name: texts.status, cell: ({ statusSystem }) => <Words>{statusSystem}</Words> },
    { name: texts.currency, cell: ({ currency }) => <Words most={10}>{currency}</Words> },
  ]
  const banks: Column<BankAccount>[] = [
    { name: texts.name, cell: ({ origId, accountName }) => link(origId, accountName) },
    { name: texts.number, cell: ({ accountNumber }) => <Words most={40}>{accountNumber}</Words> },
    {
      name: texts.type,
      cell: ({ typeSystem, subTypeSystemDisplayName }) => (
        <Words>{[typeSystem, subTypeSystemDisplayName].filter(Boolean).join(' · ')}</Words>
      ),
    },
    { name: texts.status, cell: ({ accountStatusSystem }) => <Words>{accountStatusSystem}</Words> },
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
