import { Button, Group, Text } from '@mantine/core'
import { useSearchParams } from 'wouter'
import type { Page } from '../../api/client.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'

/** Page number of a list, kept in the address under this parameter; the other parameters stay. */
export function usePageNumber(name: string): [string | null, (pageNumber: number) => void] {
  const [params, setParams] = useSearchParams()
  const turn = (pageNumber: number) => {
    const next = new URLSearchParams(params)
    next.set(name, String(pageNumber))
    setParams(next)
  }
  return [params.get(name), turn]
}

/** Pagination; renders nothing for an empty list, and no buttons where one page has all. */
export function Pager({ page, onTurn }: { page: Page<unknown>; onTurn(pageNumber: number): void }) {
  const texts = useTexts(common)
  if (page.total === 0) return null
  const { pageNumber } = page
  const pages = Math.max(1, Math.ceil(page.total / page.pageSize))
  const isLast = page.hasMore ? page.data.length < page.pageSize : pageNumber >= pages
  const hasOthers = pages > 1 || pageNumber > 1 || page.hasMore
  return (
    <Group justify="space-between" mt="sm" gap="xs">
      <Text size="sm" c="dimmed">
        {page.hasMore ? texts.totalAtLeast(page.total) : texts.total(page.total)}
      </Text>
      {hasOthers && (
        <Group gap="xs">
          {pages > 2 && <Turn name={texts.first} to={1} isOff={pageNumber <= 1} onTurn={onTurn} />}
          <Turn
            name={texts.previous}
            to={page.hasMore ? pageNumber - 1 : Math.min(pageNumber - 1, pages)}
            isOff={pageNumber <= 1}
            onTurn={onTurn}
          />
          <Text size="sm">{page.hasMore ? texts.page(pageNumber) : texts.pageOf(pageNumber, pages)}</Text>
          <Turn name={texts.next} to={pageNumber + 1} isOff={isLast} onTurn={onTurn} />
          {pages > 2 && !page.hasMore && <Turn name={texts.last} to={pages} isOff={pageNumber >= pages} onTurn={onTurn} />}
        </Group>
      )}
    </Group>
  )
}

interface TurnProps {
  name: string
  to: number
  isOff: boolean
  onTurn(pageNumber: number): void
}

function Turn({ name, to, isOff, onTurn }: TurnProps) {
  return (
    <Button size="xs" variant="default" disabled={isOff} onClick={() => onTurn(to)}>
      {name}
    </Button>
  )
}
