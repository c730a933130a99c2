import { Skeleton, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import type { Problem } from '../../api/problem.ts'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { Page } from '../layout/page.tsx'
import { ProblemBox } from './problem-box.tsx'
import { useServiceUnreachable } from './unreachable.tsx'

interface AnswerProps<Data> {
  read: UseQueryResult<Data, Problem>
  /** Lines of the placeholder, so that the layout does not shift. */
  lines?: number
  /** Other queries to wait for, so that the layout does not shift. */
  beside?: readonly AnyRead[]
  children(data: Data): ReactNode
}

type AnyRead = Pick<UseQueryResult<unknown, Problem>, 'isPending' | 'error' | 'refetch' | 'data'>

/** Error of the first failed query, with a button that repeats all failed ones; nothing without a failure. */
export function Failure({ reads }: { reads: readonly AnyRead[] }) {
  const isUnreachable = useServiceUnreachable()
  // Older data stays on the page, and the bar above says that the service is unreachable.
  const isTold = ({ error, data }: AnyRead) => isUnreachable && data !== undefined && error?.isUnreachable === true
  const failed = reads.filter((read) => read.error !== null && !isTold(read))
  const problem = failed[0]?.error
  if (!problem) return null
  const retry = () => {
    for (const { refetch } of failed) void refetch()
  }
  return <ProblemBox problem={problem} retry={retry} />
}

/** Whether an optional section can be hidden: it has no data and no error. */
export function isEmptyAnswer<Data>(read: UseQueryResult<Data, Problem>, isEmpty: (data: Data) => boolean): boolean {
  if (read.error) return false
  return read.data === undefined ? read.errorUpdateCount === 0 : isEmpty(read.data)
}

/** Result of a query: its data, a placeholder while it loads, or the error. */
export function Answer<Data>({ read, lines = 4, beside = [], children }: AnswerProps<Data>) {
  const texts = useTexts(common)
  const formats = useFormats()
  const isUnreachable = useServiceUnreachable()
  const isThere = read.data !== undefined && !beside.some(({ isPending }) => isPending)
  if (!isThere && !read.error) return <Waiting lines={lines} />
  return (
    <>
      <Failure reads={[read, ...beside]} />
      {read.data !== undefined && isThere && (
        <div className={isUnreachable ? 'stale' : undefined} aria-busy={read.isPlaceholderData}>
          {isUnreachable && (
            <Text size="sm" className="stale-note">
              {read.dataUpdatedAt > 0 ? texts.staleSince(formats.instant(new Date(read.dataUpdatedAt).toISOString())) : texts.stale}
            </Text>
          )}
          {children(read.data)}
        </div>
      )}
    </>
  )
}

/** Loading placeholder. The part of the page that has one is marked, so that what is below does not show before. */
export function Waiting({ lines }: { lines: number }) {
  const texts = useTexts(common)
  const placeholder = useRef<HTMLOutputElement>(null)
  useLayoutEffect(() => {
    const part = placeholder.current?.closest<HTMLElement>('.page > *')
    return part ? markWaiting(part) : undefined
  }, [])
  return (
    <output ref={placeholder} className="waiting" aria-label={texts.loading}>
      {Array.from({ length: lines }, (_, line) => `line ${line}`).map((line) => (
        <Skeleton key={line} height={34} mb={8} />
      ))}
    </output>
  )
}

/**
 * Counts a placeholder in a part of a page; returns what ends it. NOTE not by `:has` in the styles: Chromium would look
 * for placeholders again at each of the 5,000 accounts of a list.
 */
function markWaiting({ dataset }: HTMLElement): () => void {
  const add = (change: number): void => {
    const placeholders = Number(dataset.waiting ?? 0) + change
    if (placeholders > 0) dataset.waiting = String(placeholders)
    else delete dataset.waiting
  }
  add(1)
  return () => add(-1)
}

/** `Answer` for the main query of a page, which has no heading before the data is there. */
export function PageAnswer<Data>({ read, beside = [], children }: Pick<AnswerProps<Data>, 'read' | 'beside' | 'children'>) {
  const texts = useTexts(common)
  if (read.data !== undefined && !beside.some(({ isPending }) => isPending)) {
    return (
      <>
        <div className="notice">
          <Failure reads={[read, ...beside]} />
        </div>
        {children(read.data)}
      </>
    )
  }
  if (read.error) {
    return (
      <Page title={texts.problem.page}>
        <Failure reads={[read]} />
      </Page>
    )
  }
  return (
    <div className="page">
      <Waiting lines={8} />
    </div>
  )
}
