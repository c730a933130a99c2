import { Text } from '@mantine/core'
import { type Page, withQuery } from '../../api/client.ts'
import type { Receipt } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer, isEmptyAnswer } from '../../parts/answers/answer.tsx'
import { Instant, ServiceName } from '../../parts/display/user-text.tsx'
import { Section } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { Pager, usePageNumber } from '../../parts/tables/pager.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { receiptTexts } from '../../texts/pages/receipts.ts'

/** Receipts for withdrawals and deletions; nothing without any. */
export function Receipts({ companyId }: { companyId: string }) {
  const texts = useTexts(receiptTexts)
  const [pageNumber, turn] = usePageNumber('receipts')
  const query = { PageSize: 25, PageNumber: pageNumber, OrderBy: 'issuedOn', Desc: true, FilterQuery: `companyId=${companyId}` }
  const receipts = useRead<Page<Receipt>>(withQuery('/normalized-data/receipts', query), { everyMs: 10_000, keep: true })
  if (isEmptyAnswer(receipts, ({ total }) => total === 0)) return null
  return (
    <Section title={texts.title}>
      <Text size="sm" c="dimmed">
        {texts.lead} <a href="/connect/receipts/verify">{texts.check}</a>
      </Text>
      <Answer read={receipts}>
        {(page) => (
          <>
            <Grid
              label={texts.title}
              rows={page.data}
              keyOf={({ id }) => id}
              empty={{ title: texts.title, hint: texts.lead }}
              columns={[
                { name: texts.service, cell: ({ serviceName }) => <ServiceName>{serviceName}</ServiceName> },
                { name: texts.kind, cell: ({ kind }) => texts.kinds[kind] },
                { name: texts.issued, cell: ({ issuedOn }) => <Instant at={issuedOn} /> },
              ]}
            />
            <Pager page={page} onTurn={turn} />
          </>
        )}
      </Answer>
    </Section>
  )
}
