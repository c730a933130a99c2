import { Text } from '@mantine/core'
import { withQuery } from '../../api/client.ts'
import type { Quality } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answer.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Foreign } from '../../parts/foreign.tsx'
import { Grid } from '../../parts/grid.tsx'
import { Section } from '../../parts/page.tsx'
import { PagedGrid } from '../../parts/paged-grid.tsx'
import { Pager, usePageNumber } from '../../parts/pager.tsx'
import { Instant, Words } from '../../parts/words.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { fieldInFrench } from '../../texts/messages/problems.ts'
import { reasonInFrench } from '../../texts/messages/reasons.ts'
import { dataTexts } from '../../texts/pages/data.ts'
import { connectionPath, type Place } from './place.ts'

export function QualityView({ place }: { place: Place }) {
  const [pageNumber] = usePageNumber('page')
  const read = useRead<Quality>(withQuery(`${connectionPath(place)}/quality`, { PageSize: 100, PageNumber: pageNumber }), { keep: true })
  return <Answer read={read}>{(quality) => <Findings place={place} quality={quality} />}</Answer>
}

function Findings({ place, quality }: { place: Place; quality: Quality }) {
  const texts = useTexts(dataTexts)
  const [, turn] = usePageNumber('page')
  const { heldBackDeletions, unmappedWords, setAside, coverage } = quality
  return (
    <>
      {heldBackDeletions.count > 0 && <HeldBack place={place} count={heldBackDeletions.count} />}
      <Section title={texts.aside}>
        <Grid
          label={texts.aside}
          rows={setAside.data}
          keyOf={({ entity, origId }) => `${entity} ${origId}`}
          empty={{ title: texts.allGood }}
          columns={[
            { name: texts.record, cell: ({ entity, origId }) => <Words>{`${entity} ${origId}`}</Words> },
            { name: texts.why, cell: ({ reason }) => <Foreign text={reason} french={whyAside} most={300} /> },
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
            { name: texts.field, cell: ({ entity, field }) => <Words>{`${entity}.${field}`}</Words> },
            { name: texts.word, cell: ({ word }) => <Words>{word}</Words> },
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

/** Too many were missing at once to be believed; a person can say that it is so. */
function HeldBack({ place, count }: { place: Place; count: number }) {
  const texts = useTexts(dataTexts)
  const accept = useChange<void>(() => ({ method: 'POST', path: `${connectionPath(place)}/accept-deletions` }))
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
          { name: texts.field, cell: ({ field }) => <Words>{field}</Words> },
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

/** Where a shape is wrong, the reason ends in words of the schema. */
function whyAside(reason: string): string | null {
  return reasonInFrench(reason, fieldInFrench)
}
