import { DataType, type Field, type Schema } from 'apache-arrow';
import { withFrontMatter } from './front-matter';
import { BENCHMARK_SECTION, removeSection } from './section';

/** The files of a data set's `test` split, as its card describes them. */
export interface CardFiles {
  /** Path from the card's folder: a file, or a pattern such as `data/test-*`. */
  readonly path: string;
  readonly rows: number;
  /** Total size of the files. */
  readonly bytes: number;
  /** Memory that `datasets` uses for the rows, as computed by the writers of data sets. */
  readonly memoryBytes: number;
}

/** Builds one config with these files as its `test` split. */
export function buildConfigs({ path }: CardFiles): object[] {
  return [{ config_name: 'default', data_files: [{ split: 'test', path }] }];
}

/** Rows of a kind in JSON files, as a configuration that `datasets` loads. */
export interface JsonConfiguration {
  readonly name: string;
  /** Path from the card's folder, or a pattern. */
  readonly path: string;
  readonly columns: Schema;
}

/**
 * Builds the front matter for JSON files of several kinds: a configuration for each, of which the first is loaded if none is named. The columns are
 * listed, because `datasets` would infer them from the first rows, whose lists may be empty.
 */
export function buildJsonConfigurations(configurations: readonly JsonConfiguration[]): object {
  return {
    configs: configurations.map(({ name, path }, at) => ({
      config_name: name,
      ...(at === 0 && { default: true }),
      data_files: [{ split: 'test', path }],
    })),
    dataset_info: configurations.map(({ name, columns }) => ({
      config_name: name,
      features: buildFeatures(columns),
    })),
  };
}

/**
 * Returns the card with these files as its only config, and with the `dataset_info` that `datasets` computes for them. All else stays as it
 * is. A text without front matter gets one.
 * @throws DataError when the front matter is not YAML
 */
export function withFiles(card: string, columns: Schema, files: CardFiles): string {
  return withFrontMatter(removeSection(card, BENCHMARK_SECTION), {
    configs: buildConfigs(files),
    dataset_info: buildDatasetInfo(columns, files),
  });
}

/**
 * Builds `dataset_info` as current `datasets` computes it. `datasets` caches loaded data by the card, so a card must change whenever its
 * rows do: the sizes in bytes ensure that.
 */
export function buildDatasetInfo(columns: Schema, { rows, bytes, memoryBytes }: CardFiles): object {
  return {
    features: buildFeatures(columns),
    splits: [{ name: 'test', num_bytes: memoryBytes, num_examples: rows }],
    download_size: bytes,
    dataset_size: memoryBytes,
  };
}

/**
 * Builds the columns in the card's form. Lists are written as `list`, because `sequence` over structs fails in `datasets` before version 4.
 */
export function buildFeatures(columns: Schema): object[] {
  return columns.fields.map(buildFeature);
}

function buildFeature({ name, type }: Field): object {
  return { name, ...buildFeatureForm(type) };
}

function buildFeatureForm(type: DataType): { struct: object[] } | { list: unknown } | { dtype: string } {
  if (DataType.isStruct(type)) return { struct: type.children.map(buildFeature) };
  if (!DataType.isList(type)) return { dtype: getDtype(type) };
  const element = buildFeatureForm(type.valueType);
  if ('struct' in element) return { list: element.struct };
  return { list: 'dtype' in element ? element.dtype : element };
}

/** Returns the name that `datasets` has for a type without children. */
export function getDtype(type: DataType): string {
  if (DataType.isBool(type)) return 'bool';
  if (DataType.isFloat(type)) return 'float64';
  return DataType.isInt(type) ? 'int64' : 'string';
}
