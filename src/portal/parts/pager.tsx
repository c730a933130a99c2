import { Button, Group, Text } from '@mantine/core'
import { useSearchParams } from 'wouter'
import type { Page } from '../api/client.ts'
import { common } from '../texts/common.ts'
import { useTexts } from '../texts/language.tsx'

/** Which page of a list is shown; it stands in the address under this name, beside whatever else does. */
export function usePageNumber(name: string): [string | null, (pageNumber: number) => void] {
  const [params, setParams] = useSearchParams()
  const turn = (pageNumber: number) => {
    const next = new URLSearchParams(params)
    next.set(name, String(pageNumber))
    setParams(next)
  }
  return [params.get(name), turn]
}

/** To the pages beside this one; nothing where all is on one page. */
export function Pager({ page, onTurn }: { page: Page<unknown>; onTurn(pageNumber: number): void }) {
  const texts = useTexts(common)
  if (page.total === 0) return null
  const pages = Math.max(1, Math.ceil(page.total / page.pageSize))
  return (
    <Group justify="space-between" mt="sm" gap="xs">
      <Text size="sm" c="dimmed">
        {texts.total(page.total)}
      </Text>
      {pages > 1 && (
        <Group gap="xs">
          <Button size="xs" variant="default" disabled={page.pageNumber <= 1} onClick={() => onTurn(page.pageNumber - 1)}>
            {texts.previous}
          </Button>
          <Text size="sm">{texts.pageOf(page.pageNumber, pages)}</Text>
          <Button size="xs" variant="default" disabled={page.pageNumber >= pages} onClick={() => onTurn(page.pageNumber + 1)}>
            {texts.next}
          </Button>
        </Group>
      )}
    </Group>
  )
}
