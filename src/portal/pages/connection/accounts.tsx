import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Link, useSearchParams } from 'wouter'
import { type Page, withQuery } from '../../api/client.ts'
import { useRead } from '../../api/reads.ts'
import type { AccountingAccount, BankAccount, Category } from '../../api/types.ts'
import { Answer } from '../../parts/answer.tsx'
import { type Column, Grid } from '../../parts/grid.tsx'
import { Empty } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Words } from '../../parts/words.tsx'
import { dataTexts } from '../../texts/data.ts'
import { useFormats, useTexts } from '../../texts/language.tsx'
import { dataPath, explanationHref, type Place } from './place.ts'

interface AccountsProps {
  place: Place
  category: Category
  asOf: string | null
}

/** The accounts as a table; each leads to its raw record. */
export function Accounts({ place, category, asOf }: AccountsProps) {
  const texts = useTexts(dataTexts)
  const [params, setParams] = useSearchParams()
  const filter = params.get('filter') ?? ''
  const turn = (page: string | null, wanted: string) =>
    setParams(
      Object.fromEntries(Object.entries({ view: 'accounts', asOf, filter: wanted, page }).flatMap(([k, v]) => (v ? [[k, v]] : []))),
      {
        replace: true,
      },
    )
  const setFilter = useDebouncedCallback((text: string) => turn(null, text), 400)
  const query = { PageSize: 50, PageNumber: params.get('page'), FilterQuery: filter, asOf }
  const accounts = useRead<Page<AccountingAccount & BankAccount>>(withQuery(dataPath(place, category, 'accounts'), query), { keep: true })
  if (accounts.error?.status === 404) return <Empty title={texts.none}>{texts.noneHint}</Empty>
  return (
    <>
      <TextInput
        aria-label={texts.filter}
        placeholder={texts.filter}
        defaultValue={filter}
        onChange={(e) => setFilter(e.currentTarget.value.trim())}
        mb="sm"
      />
      <Answer read={accounts} lines={8}>
        {(page) => (
          <>
            <AccountGrid place={place} category={category} asOf={asOf} rows={page.data} />
            <Pager page={page} onTurn={(next) => turn(String(next), filter)} />
          </>
        )}
      </Answer>
    </>
  )
}

function AccountGrid({ place, category, asOf, rows }: AccountsProps & { rows: readonly (AccountingAccount & BankAccount)[] }) {
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
  const empty = { title: texts.none, hint: texts.noneHint }
  return category === 'Banking' ? (
    <Grid label={texts.account} rows={rows} keyOf={({ origId }) => origId} empty={empty} columns={banks} />
  ) : (
    <Grid label={texts.account} rows={rows} keyOf={({ id }) => id} empty={empty} columns={books} />
  )
}
