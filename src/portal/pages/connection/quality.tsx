import { Text } from '@mantine/core'
import { withQuery } from '../../api/client.ts'
import type { Quality } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { ApiText } from '../../parts/display/api-text.tsx'
import { Instant, UserText } from '../../parts/display/user-text.tsx'
import { Section } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { PagedGrid } from '../../parts/tables/paged-grid.tsx'
import { Pager, usePageNumber } from '../../parts/tables/pager.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { fieldInFrench } from '../../texts/messages/problems.ts'
import { reasonInFrench } from '../../texts/messages/reasons.ts'
import { dataTexts } from '../../texts/pages/data.ts'
import { type ConnectionKey, connectionPath } from './paths.ts'

export function QualityView({ connectionKey }: { connectionKey: ConnectionKey }) {
  const [pageNumber] = usePageNumber('page')
  const read = useRead<Quality>(withQuery(`${connectionPath(connectionKey)}/quality`, { PageSize: 100, PageNumber: pageNumber }), {
    keep: true,
  })
  return <Answer read={read}>{(quality) => <Findings connectionKey={connectionKey} quality={quality} />}</Answer>
}

function Findings({ connectionKey, quality }: { connectionKey: ConnectionKey; quality: Quality }) {
  const texts = useTexts(dataTexts)
  const [, turn] = usePageNumber('page')
  const { heldBackDeletions, unmappedWords, setAside, coverage } = quality
  return (
    <>
      {heldBackDeletions.count > 0 && <HeldBack connectionKey={connectionKey} count={heldBackDeletions.count} />}
      <Section title={texts.aside}>
        <Grid
          label={texts.aside}
          rows={setAside.data}
          keyOf={({ entity, origId }) => `${entity} ${origId}`}
          empty={{ title: texts.allGood }}
          columns={[
            { name: texts.record, cell: ({ entity, origId }) => <UserText>{`${entity} ${origId}`}</UserText> },
            { name: texts.why, cell: ({ reason }) => <ApiText text={reason} french={whyAside} most={300} /> },
            { name: texts.date, cell: ({ on }) => <Instant at={on} /> },
          ]}
        />
        <Pager page={setAside} onTurn={turn} />
      </Section>
      <Section title={texts.words}>
        <PagedGrid
          page="words"
          label={texts.words}
          rows={unmappedWords}
          keyOf={({ entity, field, word }) => `${entity} ${field} ${word}`}
          empty={{ title: texts.allGood }}
          columns={[
            { name: texts.field, cell: ({ entity, field }) => <UserText>{`${entity}.${field}`}</UserText> },
            { name: texts.word, cell: ({ word }) => <UserText>{word}</UserText> },
            { name: texts.count, isNumber: true, cell: ({ count }) => count },
          ]}
        />
      </Section>
      {coverage.map((each) => (
        <Coverage key={each.entity} coverage={each} />
      ))}
    </>
  )
}

/** Deletions that were held back because too many came at once; a person can accept them. */
function HeldBack({ connectionKey, count }: { connectionKey: ConnectionKey; count: number }) {
  const texts = useTexts(dataTexts)
  const accept = useChange<void>(() => ({ method: 'POST', path: `${connectionPath(connectionKey)}/accept-deletions` }))
  return (
    <div className="cause">
      <Text mb="sm">{texts.held(count)}</Text>
      <Confirm label={texts.accept} title={texts.acceptTitle} question={texts.acceptQuestion} isDangerous {...accept.toConfirm()} />
    </div>
  )
}

function Coverage({ coverage }: { coverage: Quality['coverage'][number] }) {
  const texts = useTexts(dataTexts)
  const formats = useFormats()
  return (
    <Section title={formats.named(texts.coverage, coverage.entity)}>
      <Grid
        label={coverage.entity}
        rows={coverage.fields}
        keyOf={({ field }) => field}
        empty={{ title: texts.noCoverage }}
        columns={[
          { name: texts.field, cell: ({ field }) => <UserText>{field}</UserText> },
          {
            name: texts.share,
            cell: ({ share }) => (
              <span className="bar" aria-hidden="true">
                <span style={{ width: `${(share ?? 0) * 100}%` }} />
              </span>
            ),
          },
          { name: '%', isNumber: true, cell: ({ share }) => (share === null ? '—' : formats.percent(share)) },
          { name: texts.filledHead, isNumber: true, cell: ({ filled }) => texts.filled(filled, coverage.total) },
        ]}
      />
    </Section>
  )
}

/** French for why a record was set aside; a schema error follows the field. */
function whyAside(reason: string): string | null {
  return reasonInFrench(reason, fieldInFrench)
}
