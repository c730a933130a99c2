import '@mantine/spotlight/styles.css'
import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import { useEffect, useState } from 'react'
import { type Page, withQuery } from './api/client.ts'
import { searchFilter } from './api/filters.ts'
import { useRead } from './api/reads.ts'
import type { Company } from './api/types.ts'
import type { Destination } from './frame.tsx'
import { frameTexts } from './texts/frame.ts'
import { useTexts } from './texts/language.tsx'

const [store, spotlight] = createSpotlight()

interface PaletteProps {
  destinations: readonly Destination[]
  isOpen: boolean
  onClose(): void
  onGo(path: string): void
}

/** Every page and every company by a few letters of its name. */
export function Palette({ destinations, isOpen, onClose, onGo }: PaletteProps) {
  const texts = useTexts(frameTexts)
  const [words, setWords] = useState('')
  const [settled] = useDebouncedValue(words.trim(), 150)
  useEffect(() => (isOpen ? spotlight.open() : spotlight.close()), [isOpen])
  const path = withQuery('/normalized-data/companies', { PageSize: 10, FilterQuery: searchFilter(settled) })
  const companies = useRead<Page<Company>>(path, { enabled: isOpen && settled !== '', keep: true })
  const pages = destinations.filter(({ name }) => name.toLocaleLowerCase().includes(words.trim().toLocaleLowerCase()))
  const found = settled === '' ? [] : (companies.data?.data ?? [])
  return (
    <Spotlight.Root
      store={store}
      query={words}
      onQueryChange={setWords}
      onSpotlightClose={onClose}
      shortcut={null}
      lockScroll={false}
      aria-label={texts.go}
      scrollable
      maxHeight="60vh"
    >
      <Spotlight.Search placeholder={texts.goHint} aria-label={texts.goHint} />
      <Spotlight.ActionsList>
        {pages.map(({ path: to, name }) => (
          <Spotlight.Action key={to} label={name} description={texts.page} onClick={() => onGo(to)} />
        ))}
        {found.map(({ id, name }) => (
          <Spotlight.Action key={id} label={name.slice(0, 80)} description={texts.company} onClick={() => onGo(`/companies/${id}`)} />
        ))}
        {pages.length + found.length === 0 && <Spotlight.Empty>{texts.nothing}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}
