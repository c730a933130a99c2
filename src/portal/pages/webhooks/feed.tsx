import { Button, Group, Text } from '@mantine/core'
import { useSearchParams } from 'wouter'
import { withQuery } from '../../api/client.ts'
import type { EventPage } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Copyable } from '../../parts/display/copy.tsx'
import { LongText } from '../../parts/display/long-text.tsx'
import { Instant, UserText } from '../../parts/display/user-text.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { deliveryTexts } from '../../texts/pages/webhooks.ts'

export function FeedPage() {
  const texts = useTexts(deliveryTexts)
  const [params, setParams] = useSearchParams()
  const feed = useRead<EventPage>(withQuery('/webhooks/events', { Limit: 25, Cursor: params.get('cursor') }), { keep: true })
  return (
    <Page title={texts.feedTitle} lead={texts.feedLead}>
      <Answer read={feed} lines={8}>
        {({ data, cursor, hasMore }) => (
          <>
            <Grid
              label={texts.feedTitle}
              rows={data}
              keyOf={({ Identifier }) => Identifier}
              empty={{ title: texts.feedNone, hint: texts.feedNoneHint }}
              columns={[
                { name: texts.created, cell: ({ Data }) => <Instant at={timeOf(Data)} /> },
                { name: texts.kind, cell: ({ MessageType }) => <UserText>{MessageType}</UserText> },
                {
                  name: texts.body,
                  cell: (event) => (
                    <details>
                      <summary>
                        <UserText most={60}>{event.Identifier}</UserText>
                      </summary>
                      <LongText text={JSON.stringify(event, null, 2)} />
                    </details>
                  ),
                },
              ]}
            />
            <Group mt="md">
              {hasMore && (
                <Button variant="default" onClick={() => setParams(cursor === null ? {} : { cursor })}>
                  {texts.feedMore}
                </Button>
              )}
              {params.has('cursor') && (
                <Button variant="default" onClick={() => setParams({})}>
                  {texts.feedStart}
                </Button>
              )}
            </Group>
            {!hasMore && cursor !== null && (
              <>
                <Text size="sm" mt="md">
                  {texts.feedEnd}
                </Text>
                <Copyable text={cursor} />
              </>
            )}
          </>
        )}
      </Answer>
    </Page>
  )
}

/** An entry of the audit has another name for it than events of connections. */
function timeOf({ ModifiedOn, RecordedOn }: EventPage['data'][number]['Data']): string | null {
  const at = ModifiedOn ?? RecordedOn
  return typeof at === 'string' ? at : null
}
