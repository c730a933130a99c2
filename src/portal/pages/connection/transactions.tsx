import { Link } from 'wouter'
import { type Page, withQuery } from '../../api/client.ts'
import type { AccountingTransaction, BankTransaction, Category } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { UserText } from '../../parts/display/user-text.tsx'
import { Empty } from '../../parts/layout/page.tsx'
import { type Column, Grid } from '../../parts/tables/grid.tsx'
import { Pager, usePageNumber } from '../../parts/tables/pager.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { dataTexts } from '../../texts/pages/data.ts'
import { type FilterProperties, toFilterQuery } from './data-filter.ts'
import { FilterBar, useDataFilter } from './filter-bar.tsx'
import { type ConnectionKey, dataPath, explanationHref } from './paths.ts'

const PROPERTIES: FilterProperties = { search: ['description', 'counterparty'], day: 'postedOn' }

type Transaction = AccountingTransaction | BankTransaction

export function Transactions({ connectionKey, category, asOf }: { connectionKey: ConnectionKey; category: Category; asOf: string | null }) {
  const texts = useTexts(dataTexts)
  const formats = useFormats()
  const [pageNumber, turn] = usePageNumber('page')
  const filtering = useDataFilter()
  const query = { PageSize: 50, PageNumber: pageNumber, FilterQuery: toFilterQuery(filtering.filter, PROPERTIES), asOf }
  const read = useRead<Page<Transaction>>(withQuery(dataPath(connectionKey, category, 'transactions'), query), { keep: true })
  if (read.error?.status === 404) return <Empty title={texts.none}>{texts.noneHint}</Empty>
  const money = (value: number | null, currency: string) => (value === null ? '' : formats.money(value, currency))
  const amounts: Column<Transaction>[] =
    category === 'Banking'
      ? [{ name: texts.amount, isNumber: true, cell: (row) => ('amount' in row ? money(row.amount, row.currency) : '') }]
      : [
          { name: texts.debit, isNumber: true, cell: (row) => ('debit' in row ? money(row.debit, row.currency) : '') },
          { name: texts.credit, isNumber: true, cell: (row) => ('credit' in row ? money(row.credit, row.currency) : '') },
        ]
  return (
    <>
      <FilterBar {...filtering} searchLabel={texts.searchTransactions} hasDays problem={read.error} />
      <Answer read={read} lines={8}>
        {(page) => (
          <>
            <Grid
              label={texts.description}
              rows={page.data}
              keyOf={({ id }) => id}
              empty={
                filtering.isOn
                  ? { title: texts.nothingFits, hint: texts.nothingFitsHint }
                  : { title: texts.noTransactions, hint: texts.noTransactionsHint }
              }
              columns={[
                { name: texts.date, cell: (row) => ('isPending' in row && row.isPending ? texts.pending : (row.postedOn ?? '')) },
                {
                  name: texts.description,
                  cell: ({ id, description }) => (
                    <Link href={explanationHref(connectionKey, id, 'transactions', asOf)}>
                      <UserText most={100}>{description || texts.unnamed}</UserText>
                    </Link>
                  ),
                },
                ...amounts,
              ]}
            />
            <Pager page={page} onTurn={turn} />
          </>
        )}
      </Answer>
    </>
  )
}
