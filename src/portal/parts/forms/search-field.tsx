import { TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useSearchParams } from 'wouter'

const MAX_LETTERS = 150

/** Search words of the page, kept in its address (`?search=`). */
export function useSearchWords(): string {
  const [params] = useSearchParams()
  return params.get('search') ?? ''
}

/** Field for the search words of the page; each letter counts. */
export function SearchField({ label, maw }: { label: string; maw?: TextInputProps['maw'] }) {
  const [, setParams] = useSearchParams()
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={useSearchWords()}
      onChange={(event) => setParams(event.currentTarget.value === '' ? {} : { search: event.currentTarget.value }, { replace: true })}
      maw={maw}
      mb="md"
    />
  )
}

interface ListSearchProps {
  label: string
  /** Words to search for by what was typed; what it leaves out is neither kept in the address nor sent. */
  toWords?(typed: string): string
}

/** Field for the search words of a list that the API searches: applied once the typing pauses, from the first page on. */
export function ListSearch({ label, toWords = (typed) => typed }: ListSearchProps) {
  const [, setParams] = useSearchParams()
  const words = useSearchWords()
  const search = useDebouncedCallback((typed: string) => {
    const wanted = toWords(typed)
    setParams(wanted === '' ? {} : { search: wanted }, { replace: true })
  }, 200)
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      defaultValue={words}
      onChange={(event) => search(event.currentTarget.value.trim())}
      mb="md"
      maxLength={MAX_LETTERS}
    />
  )
}
