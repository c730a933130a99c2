import { Button, Group, Modal, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import type { Company } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { Fields } from '../../parts/fields.tsx'
import { ProblemBox } from '../../parts/problem-box.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { companyTexts } from '../../texts/pages/companies.ts'

type CompanyInput = Record<string, string>

interface CompanyFormProps {
  title: string
  /** What to change; a new company when left out. */
  company?: Company
  isOpen: boolean
  onClose(): void
  onSaved(company: Company): void
}

export function CompanyForm({ title, company, isOpen, onClose, onSaved }: CompanyFormProps) {
  const texts = useTexts(companyTexts)
  const words = useTexts(common)
  const save = useChange<CompanyInput, Company>(
    (body) =>
      company
        ? { method: 'PUT', path: `/normalized-data/companies/${company.id}`, body }
        : { method: 'POST', path: '/normalized-data/company', body },
    (saved) => {
      onClose()
      onSaved(saved)
    },
  )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()])
    const body: CompanyInput = Object.fromEntries(given)
    save.mutate({ ...body, country: (body.country ?? '').toUpperCase() })
  }
  const field = (name: keyof Company, label: string, maxLength: number) => ({
    name,
    label,
    maxLength,
    defaultValue: company?.[name] ?? '',
    mb: 'sm',
  })
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Fields isSending={save.isPending}>
          <TextInput {...field('name', texts.name, 200)} required data-autofocus />
          <TextInput {...field('industry', texts.industry, 500)} />
          <TextInput {...field('fullAddress', texts.address, 500)} />
          <Group grow align="flex-start">
            <TextInput {...field('city', texts.city, 500)} />
            <TextInput {...field('country', texts.country, 2)} pattern="[A-Za-z]{2}" title={texts.countryFault} />
          </Group>
          <TextInput {...field('companyContactNumber', texts.phone, 50)} type="tel" />
        </Fields>
        {save.error && <ProblemBox problem={save.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {words.save}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
