import { Modal, Textarea, TextInput } from '@mantine/core'
import type { Company } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { SaveForm } from '../../parts/forms/save-form.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { companyTexts } from '../../texts/pages/companies.ts'
import { printPairs, readPairs } from './pairs.ts'

type Details = Record<string, string>
type CompanyInput = Record<string, string | null | Record<string, string>>

interface CompanyFormProps {
  title: string
  /** Company to change; omit to create one. */
  company?: Company
  isOpen: boolean
  onClose(): void
  onSaved(company: Company): void
}

export function CompanyForm({ title, company, isOpen, onClose, onSaved }: CompanyFormProps) {
  const texts = useTexts(companyTexts)
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
  const send = (values: FormData) => {
    const given = [...values].map(([name, value]) => [name, String(value).trim()])
    const { externalId = '', metadata: _, country = '', ...body }: Details = Object.fromEntries(given)
    const details = { ...body, country: country.toUpperCase(), externalId: externalId || null }
    const known = company?.metadata ?? {}
    const metadata = readPairs(String(values.get('metadata') ?? ''), known)
    // Left out, the pairs stay as they are.
    save.mutate(metadata === null || JSON.stringify(metadata) === JSON.stringify(known) ? details : { ...details, metadata })
  }
  const field = (name: Exclude<keyof Company, 'metadata'>, label: string, maxLength: number) => ({
    name,
    label,
    maxLength,
    defaultValue: company?.[name] ?? '',
    mb: 'sm',
  })
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <SaveForm change={save} onSave={send} onCancel={onClose}>
        <TextInput {...field('name', texts.name, 200)} required data-autofocus />
        <TextInput {...field('industry', texts.industry, 500)} />
        <TextInput {...field('fullAddress', texts.address, 500)} />
        <div className="pair">
          <TextInput {...field('city', texts.city, 500)} />
          <TextInput {...field('country', texts.country, 2)} pattern="[A-Za-z]{2}" title={texts.countryFault} />
        </div>
        <TextInput {...field('companyContactNumber', texts.phone, 50)} type="tel" />
        <TextInput {...field('externalId', texts.externalId, 200)} description={texts.externalIdHint} />
        <Textarea
          name="metadata"
          label={texts.metadata}
          description={texts.metadataHint}
          defaultValue={printPairs(company?.metadata ?? {})}
          onChange={({ currentTarget: input }) => input.setCustomValidity(readPairs(input.value) === null ? texts.metadataFault : '')}
          autosize
          minRows={2}
          maxRows={8}
          mb="sm"
        />
      </SaveForm>
    </Modal>
  )
}
