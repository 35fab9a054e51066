//! Checkpoints: the parameters of a model and the curve of its training, in a `safetensors` file.
//!
//! The parameters have the names of the fields. The curve is one more tensor, the name of the example stands in the
//! metadata. A file that does not fit is refused with what is wrong with it.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use ndarray::ArrayViewMutD;
use safetensors::{Dtype, SafeTensors, serialize, tensor::TensorView};

use super::train::Point;

const CURVE: &str = "curve";
const EXAMPLE: &str = "example";

/// A model whose parameters have names.
pub(crate) trait Parameters {
    /// All parameters, under their names.
    fn parameters(&mut self) -> Vec<(&'static str, ArrayViewMutD<'_, f64>)>;
}

/// Writes a checkpoint. The file is replaced as a whole, so that there is always one that is sound.
pub(crate) fn write<M: Parameters>(path: &Path, example: &str, model: &mut M, curve: &[Point]) -> Result<(), String> {
    let mut tensors: Vec<(&str, Vec<usize>, Vec<u8>)> = Vec::new();
    for (name, values) in model.parameters() {
        tensors.push((name, values.shape().to_vec(), bytes(values.iter().copied())));
    }
    let numbers = curve.iter().flat_map(|point| [point.loss, point.measure]);
    tensors.push((CURVE, vec![curve.len(), 2], bytes(numbers)));
    let fail = |error: &dyn std::fmt::Display| format!("{}: cannot write the checkpoint: {error}", path.display());
    let mut views = Vec::new();
    for (name, shape, bytes) in &tensors {
        views.push((*name, TensorView::new(Dtype::F64, shape.clone(), bytes).map_err(|error| fail(&error))?));
    }
    let metadata = HashMap::from([(EXAMPLE.to_owned(), example.to_owned())]);
    let file = serialize(views, Some(metadata)).map_err(|error| fail(&error))?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| fail(&error))?;
    }
    let new = path.with_extension("new");
    fs::write(&new, file).and_then(|()| fs::rename(&new, path)).map_err(|error| fail(&error))
}

/// Reads a checkpoint into a model, and gives its curve.
pub(crate) fn read<M: Parameters>(path: &Path, example: &str, model: &mut M) -> Result<Vec<Point>, String> {
    let file = fs::read(path).map_err(|error| format!("{}: cannot read the checkpoint: {error}", path.display()))?;
    parse(&file, example, model).map_err(|error| format!("{}: {error}", path.display()))
}

fn parse<M: Parameters>(file: &[u8], example: &str, model: &mut M) -> Result<Vec<Point>, String> {
    let unsound = |error| format!("this is no sound safetensors file: {error}");
    let (_, metadata) = SafeTensors::read_metadata(file).map_err(unsound)?;
    let tensors = SafeTensors::deserialize(file).map_err(unsound)?;
    let of = metadata.metadata().as_ref().and_then(|metadata| metadata.get(EXAMPLE));
    if of.is_none_or(|of| of != example) {
        let of = of.map_or("of another program".to_owned(), |of| format!("of the example `{of}`"));
        return Err(format!("this is a checkpoint {of}, not of `{example}`"));
    }
    for (name, mut values) in model.parameters() {
        let (shape, numbers) = tensor(&tensors, name)?;
        if shape != values.shape() {
            return Err(format!("the tensor `{name}` has the shape {shape:?}, and should have {:?}", values.shape()));
        }
        values.iter_mut().zip(numbers).for_each(|(value, number)| *value = number);
    }
    let (shape, numbers) = tensor(&tensors, CURVE)?;
    if shape.len() != 2 || shape[1] != 2 {
        return Err(format!("the tensor `{CURVE}` has the shape {shape:?}, and should have two columns"));
    }
    Ok(numbers.chunks_exact(2).map(|point| Point { loss: point[0], measure: point[1] }).collect())
}

fn tensor(tensors: &SafeTensors<'_>, name: &str) -> Result<(Vec<usize>, Vec<f64>), String> {
    let tensor = tensors.tensor(name).map_err(|_| format!("there is no tensor `{name}`"))?;
    if tensor.dtype() != Dtype::F64 {
        return Err(format!("the tensor `{name}` has elements of type {:?}, and should have F64", tensor.dtype()));
    }
    let numbers: Vec<f64> = tensor.data().as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    if let Some(number) = numbers.iter().find(|number| !number.is_finite()) {
        return Err(format!("the tensor `{name}` holds {number}"));
    }
    Ok((tensor.shape().to_vec(), numbers))
}

fn bytes(numbers: impl Iterator<Item = f64>) -> Vec<u8> {
    numbers.flat_map(f64::to_le_bytes).collect()
}
