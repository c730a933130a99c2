import { Code, Text } from '@mantine/core'
import { Link, useParams, useSearchParams } from 'wouter'
import { withQuery } from '../../api/client.ts'
import type { ConnectionDetail, Explanation } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { ApiText } from '../../parts/display/api-text.tsx'
import { Facts } from '../../parts/display/facts.tsx'
import { Instant, UserText } from '../../parts/display/user-text.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { ruleInFrench } from '../../texts/messages/rules.ts'
import { dataTexts } from '../../texts/pages/data.ts'
import { connectionPath, dataPath } from './paths.ts'

/** Explanation of one record: raw values, normalized values, and the rule between them. */
export function ExplanationPage() {
  const texts = useTexts(dataTexts)
  const { companyId = '', serviceId = '', recordId = '' } = useParams()
  const [params] = useSearchParams()
  const connectionKey = { companyId, serviceId }
  const entity = params.get('entity') === 'transactions' ? 'transactions' : 'accounts'
  const connection = useRead<ConnectionDetail>(`${connectionPath(connectionKey)}/status`)
  const base = dataPath(connectionKey, connection.data?.category ?? 'Banking', entity)
  const path = withQuery(`${base}/${encodeURIComponent(recordId)}/explanation`, { asOf: params.get('asOf') })
  const explanation = useRead<Explanation>(path, { enabled: connection.data !== undefined })
  return (
    <Page title={texts.explained} lead={texts.explainLead}>
      <p>
        <Link href={withQuery(`/companies/${companyId}/connections/${serviceId}`, { view: entity, asOf: params.get('asOf') })}>
          {texts.back}
        </Link>
      </p>
      <Answer read={connection}>
        {() => (
          <Answer read={explanation} lines={10}>
            {(found) => <Explained explanation={found} />}
          </Answer>
        )}
      </Answer>
    </Page>
  )
}

function Explained({ explanation }: { explanation: Explanation }) {
  const texts = useTexts(dataTexts)
  const { rawPage, currentMapping } = explanation
  return (
    <>
      <Facts
        facts={[
          { name: texts.record, value: <UserText>{explanation.origId}</UserText> },
          { name: texts.published, value: <Instant at={explanation.publishedOn} /> },
          { name: texts.mapping, value: `${explanation.connector} ${explanation.mappingVersion}` },
          { name: texts.page, value: <RawPage page={rawPage} /> },
        ]}
      />
      <Text my="md">
        {texts.now2[currentMapping.gives]} {currentMapping.reason && <UserText>{currentMapping.reason}</UserText>}
      </Text>
      <Grid
        label={texts.explained}
        rows={explanation.fields}
        keyOf={({ field }) => field}
        empty={{ title: texts.none }}
        columns={[
          { name: texts.field, cell: ({ field }) => <strong>{field}</strong> },
          { name: texts.value, cell: ({ result }) => <Value value={result} /> },
          { name: texts.rule, cell: ({ rule }) => rule && <Rule rule={rule} /> },
          { name: texts.raw, cell: ({ raw }) => <Raw raw={raw} /> },
        ]}
      />
    </>
  )
}

function RawPage({ page }: { page: Explanation['rawPage'] }) {
  const texts = useTexts(dataTexts)
  if (!page?.isKept) return texts.pageGone
  return (
    <>
      <Instant at={page.receivedOn} />, {texts.place(page.index)}
    </>
  )
}

function Value({ value }: { value: Explanation['fields'][number]['result'] }) {
  const texts = useTexts(dataTexts)
  if (value === null || value === '')
    return (
      <Text component="span" c="dimmed" size="sm">
        {value === null ? 'null' : texts.empty}
      </Text>
    )
  return <UserText most={300}>{String(value)}</UserText>
}

function Rule({ rule }: { rule: NonNullable<Explanation['fields'][number]['rule']> }) {
  const texts = useTexts(dataTexts)
  return (
    <div className="rule">
      <ApiText text={rule.text} french={ruleInFrench} most={300} />
      {rule.code && (
        <details>
          <summary>{texts.code}</summary>
          <Code block className="words" tabIndex={0}>
            {rule.code}
          </Code>
        </details>
      )}
    </div>
  )
}

function Raw({ raw }: { raw: Explanation['fields'][number]['raw'] }) {
  const texts = useTexts(dataTexts)
  const found = { absent: texts.absent, object: texts.isObject, list: texts.isList }
  return (
    <>
      {raw.map(({ path, found: kind, value }) => (
        <div key={path}>
          <Code className="words">{path}</Code>{' '}
          {kind === 'value' ? (
            <Value value={value} />
          ) : (
            <Text component="span" c="dimmed" size="sm">
              {found[kind]}
            </Text>
          )}
        </div>
      ))}
    </>
  )
}
