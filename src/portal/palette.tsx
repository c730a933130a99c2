import '@mantine/spotlight/styles.css'
import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import { useEffect, useState } from 'react'
import { type Page, withQuery } from './api/client.ts'
import { searchFilter } from './api/filters.ts'
import { useRead } from './api/reads.ts'
import type { Company } from './api/types.ts'
import type { Action, Destination } from './frame.tsx'
import { Failure } from './parts/answer.tsx'
import { frameTexts } from './texts/frame.ts'
import { useTexts } from './texts/language.tsx'

const [store, spotlight] = createSpotlight()

interface PaletteProps {
  destinations: readonly Destination[]
  actions: readonly Action[]
  isOpen: boolean
  onClose(): void
  onGo(path: string): void
}

/** Every page, every action and every company by a few letters of its name. */
export function Palette({ destinations, actions, isOpen, onClose, onGo }: PaletteProps) {
  const texts = useTexts(frameTexts)
  const [words, setWords] = useState('')
  const [settled] = useDebouncedValue(words.trim(), 150)
  useEffect(() => (isOpen ? spotlight.open() : spotlight.close()), [isOpen])
  const path = withQuery('/normalized-data/companies', { PageSize: 10, FilterQuery: searchFilter(settled) })
  const companies = useRead<Page<Company>>(path, { enabled: isOpen && settled !== '', keep: true })
  const fits = ({ name }: { name: string }) => toPlain(name).includes(toPlain(words.trim()))
  const pages = destinations.filter(fits)
  const doable = actions.filter(fits)
  const found = settled === '' ? [] : (companies.data?.data ?? [])
  const more = (companies.data?.total ?? 0) - found.length
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
        <Failure reads={settled === '' ? [] : [companies]} />
        {found.map(({ id, name }) => (
          <Spotlight.Action key={id} label={name.slice(0, 80)} description={texts.company} onClick={() => onGo(`/companies/${id}`)} />
        ))}
        {settled !== '' && more > 0 && (
          <Spotlight.Action
            label={texts.moreCompanies(more)}
            description={texts.company}
            onClick={() => onGo(withQuery('/companies', { search: settled }))}
          />
        )}
        {doable.map(({ name, run }) => (
          <Spotlight.Action key={name} label={name} description={texts.action} onClick={run} />
        ))}
        {pages.length + found.length + doable.length === 0 && !companies.error && <Spotlight.Empty>{texts.nothing}</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

/** Without accents and in lower case, as people type. */
function toPlain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase()
}
