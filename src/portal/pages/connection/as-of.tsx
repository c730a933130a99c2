import { Button, Group, Text } from '@mantine/core'
import { useId } from 'react'
import { useSearchParams } from 'wouter'
import type { Run } from '../../api/generated/types.ts'
import { useWhole } from '../../api/reads.ts'
import { Failure } from '../../parts/answers/answer.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { dataTexts } from '../../texts/pages/data.ts'
import { type ConnectionKey, connectionPath } from './paths.ts'

/** Times of publication, oldest first. */
export function usePublications(connectionKey: ConnectionKey) {
  const read = useWhole<Run>(`${connectionPath(connectionKey)}/runs`, { FilterQuery: 'state=published' })
  return {
    read,
    publications: (read.data?.data ?? []).flatMap(({ endedOn }) => endedOn ?? []),
  }
}

/** Slider over the publications; the selected time is in the address (`?asOf=`). */
export function AsOf({ connectionKey }: { connectionKey: ConnectionKey }) {
  const texts = useTexts(dataTexts)
  const formats = useFormats()
  const id = useId()
  const [params, setParams] = useSearchParams()
  const asOf = params.get('asOf')
  const { read, publications } = usePublications(connectionKey)
  if (read.error) return <Failure reads={[read]} />
  if (publications.length < 2 && asOf === null) return null
  const view = params.get('view') ?? 'accounts'
  const choose = (moment: string | undefined) => setParams({ view, ...(moment === undefined ? {} : { asOf: moment }) }, { replace: true })
  const found = asOf === null ? -1 : publications.indexOf(asOf)
  const position = found === -1 ? publications.length - 1 : found
  const isLast = (at: number) => at >= publications.length - 1
  return (
    <div className="as-of">
      <label htmlFor={id}>
        {texts.asOf} <strong>{asOf === null ? texts.now : formats.instant(asOf)}</strong>
      </label>
      <Group gap="sm" wrap="nowrap">
        <input
          id={id}
          type="range"
          min={0}
          max={Math.max(0, publications.length - 1)}
          value={position}
          aria-valuetext={asOf === null ? texts.now : formats.instant(asOf)}
          onChange={(event) => {
            const at = Number(event.currentTarget.value)
            choose(isLast(at) ? undefined : publications[at])
          }}
        />
        <Button size="xs" variant="default" disabled={asOf === null} onClick={() => choose(undefined)}>
          {texts.now}
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        {texts.asOfHint}
      </Text>
    </div>
  )
}
